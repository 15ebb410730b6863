"""The site: settings, addresses, and what every app stands on (common)."""

from .celery import app as celery_app

__all__ = ("celery_app",)
