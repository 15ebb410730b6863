"""What Celery workers run for people and money. Each task is safe to run twice and makes one service call."""

from celery import shared_task

from roulette_site.common.models import Operator
from roulette_site.common.sql import database_now

from .services import cash_sending, reconciliation, snapshots


@shared_task(queue="background")
def begin_deposit(*, request_id: int) -> None:
    """Tell the provider that a player pays in."""
    cash_sending.begin_deposit(request_id=request_id, now=database_now)


@shared_task(queue="background")
def send_withdrawal(*, request_id: int) -> None:
    """Ask the provider to pay a withdrawal."""
    cash_sending.send_withdrawal(request_id=request_id, now=database_now)


@shared_task(queue="background")
def ask_providers() -> None:
    """Send what waits, and ask what has become of the rest; beat calls it every minute."""
    cash_sending.ask_providers(now=database_now)


@shared_task(queue="background")
def snapshot_gaming_days() -> None:
    """Make the snapshots of gaming days that are over; beat calls it every five minutes."""
    operator = Operator.objects.first()
    if operator is not None:
        snapshots.snapshot_missing_days(rule=operator.gaming_day_rule, at=database_now())


@shared_task(queue="background")
def reconcile() -> None:
    """Hold balances and requests against transfers; beat calls it every night."""
    reconciliation.reconcile(actor="system", at=database_now())
