"""What Celery workers run. Each task is safe to run twice and makes one service call."""

from celery import shared_task

from roulette_site.common.sql import database_now

from .services import protection


@shared_task(queue="background")
def end_sessions_of_the_barred() -> None:
    """End the sessions of players who may not go on; beat calls it every few seconds."""
    protection.end_sessions_of_the_barred(at=database_now())
