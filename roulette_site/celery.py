"""The Celery application: two queues, `rounds` for the game and `background` for everything else."""

import os

from celery import Celery

from roulette_site.common import filesystem_broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roulette_site.settings")

filesystem_broker.register()
app = Celery("roulette_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
