"""What of people and money is sealed row by row: what stands for ever, and is neither a round's nor watched."""

from django.db.models import F

from roulette_site.common.book_seals import Sealed

from .models import Account, AccountSnapshot, DecidedTransfer, Finding, InboxReading, RegisterCheck, StandingChange

SEALED = (
    # Whose it is and what for; the balance is its transfers' to prove.
    Sealed("account", Account, columns=("id", "kind", "unit", "player_id")),
    Sealed("standing_change", StandingChange, since=F("changed_at")),
    Sealed("register_check", RegisterCheck, since=F("asked_at")),
    Sealed("finding", Finding, since=F("found_at")),
    Sealed("inbox_reading", InboxReading, since=F("read_at")),
    Sealed("account_snapshot", AccountSnapshot, since=F("made_at")),
    Sealed("decided_transfer", DecidedTransfer, since=F("transfer__created_at")),
)
