"""What Celery workers run for people and money. Each task is safe to run twice and makes one service call."""

from celery import shared_task

from roulette_site.common.models import Operator
from roulette_site.common.sql import database_now

from .services import (
    account_mail,
    cash_sending,
    cash_steps,
    closing,
    document_expiry,
    doubles,
    inbox_mail,
    papers,
    reconciliation,
    register_checks,
    restricted,
    snapshots,
)


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
def expire_deposits() -> None:
    """Let deposits expire of which no word has come; beat calls it every five minutes."""
    cash_steps.expire_deposits(at=database_now())


@shared_task(queue="background")
def advance_closing(*, player_id: int) -> None:
    """Go on with one account that is being closed."""
    closing.advance_closing(player_id=player_id, at=database_now())


@shared_task(queue="background")
def advance_closings() -> None:
    """Go on with all accounts that are being closed; beat calls it every few seconds."""
    closing.advance_closings(now=database_now)


@shared_task(queue="background")
def snapshot_gaming_days() -> None:
    """Make the snapshots of gaming days that are over; beat calls it every five minutes."""
    operator = Operator.objects.first()
    if operator is not None:
        snapshots.snapshot_missing_days(rule=operator.gaming_day_rule, at=database_now())


@shared_task(queue="background")
def reconcile() -> None:
    """Hold balances, requests and rounds against transfers; beat calls it every night."""
    reconciliation.reconcile(actor="system", at=database_now())


@shared_task(queue="background")
def recheck_players(*, everybody: bool = False) -> None:
    """Ask the register of excluded people about whom it is time to ask about; beat calls it every five minutes."""
    register_checks.recheck_players(now=database_now, everybody=everybody)


@shared_task(queue="background")
def keep_restrictions() -> None:
    """Hold players to the registry of restricted persons, and to what excludes their doubles, as time goes by.

    Beat calls it every five minutes.
    """
    restricted.keep_restrictions(at=database_now())
    doubles.keep_exclusions(at=database_now())


@shared_task(queue="background")
def forget_ended_restrictions() -> None:
    """Forget whom entries named that need not be kept any longer; beat calls it every night."""
    restricted.forget_ended(at=database_now())


@shared_task(queue="background")
def expire_documents() -> None:
    """Let players expire whose document has run out, and tell those of whom it soon will; beat calls it every hour."""
    document_expiry.expire_documents(at=database_now())


@shared_task(queue="background")
def tidy_papers() -> None:
    """Delete files of papers that no row names; beat calls it every night."""
    papers.tidy_papers(at=database_now())


@shared_task(queue="background")
def mail_message(*, message_id: int) -> None:
    """Mail a player that there is a message; where the server does not answer the sweep tries again."""
    inbox_mail.mail_message(message_id=message_id, now=database_now)


@shared_task(queue="background")
def mail_inbox() -> None:
    """Mail what was not mailed yet; beat calls it every minute."""
    inbox_mail.mail_inbox(now=database_now)


@shared_task(queue="background")
def mail_reset_link(*, user_id: int, language: str) -> None:
    """Mail the link under which a new password is set; to nobody where nobody has the address that was typed."""
    account_mail.mail_reset_link(user_id=user_id, language=language)


@shared_task(queue="background")
def mail_verification(*, user_id: int, language: str) -> None:
    """Mail who has registered the link by which he shows that the address is his."""
    account_mail.mail_verification(user_id=user_id, language=language)


@shared_task(queue="background")
def mail_account_exists(*, user_id: int, language: str) -> None:
    """Tell the owner of an address that somebody has tried to register with it."""
    account_mail.mail_account_exists(user_id=user_id, language=language)
