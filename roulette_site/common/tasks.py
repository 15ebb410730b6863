"""What Celery workers run of what every app stands on. Each task is safe to run twice and makes one service call."""

from celery import shared_task

from . import four_eyes
from .sealer import seal_all
from .sql import database_now


@shared_task(queue="background")
def seal_audit() -> None:
    """Seal what the last moments left to the audit trail and the books; beat calls it every second."""
    seal_all()


@shared_task(queue="background")
def seal_whole_audit() -> None:
    """Seal whatever is not sealed, however old; beat calls it every minute."""
    seal_all(everything=True)


@shared_task(queue="background")
def expire_requests() -> None:
    """End the four-eyes requests whose time has passed; beat calls it every minute."""
    four_eyes.expire_requests(at=database_now())
