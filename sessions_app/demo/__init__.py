"""The demonstration: who is in it and what has happened (`manage.py seed_demo`, `manage.py bots`)."""
