"""The pages of the admin: each module has those of one subject."""

from . import money, people, protection, users

__all__ = ["money", "people", "protection", "users"]
