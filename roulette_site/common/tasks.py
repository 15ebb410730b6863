"""What Celery workers run of what every app stands on. Each task is safe to run twice and makes one service call."""

from celery import shared_task

from . import audit_chain, four_eyes
from .sql import database_now


@shared_task(queue="background")
def seal_audit() -> None:
    """Seal the entries of the last moments; beat calls it every second."""
    audit_chain.seal_entries()


@shared_task(queue="background")
def seal_whole_audit() -> None:
    """Seal whatever is not sealed, however old; beat calls it every minute."""
    audit_chain.seal_entries(everything=True)


@shared_task(queue="background")
def expire_requests() -> None:
    """End the four-eyes requests whose time has passed; beat calls it every minute."""
    four_eyes.expire_requests(at=database_now())
