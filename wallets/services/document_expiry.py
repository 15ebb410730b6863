"""Documents run out: a verified player is told ahead, and is to send new papers when the day has come."""

import datetime as dt

from django.db import transaction
from django.db.models import QuerySet

from roulette_site.common.audit import audited
from wallets.models import InboxKind, KycState, Person, Player
from wallets.selectors.people import operator_day

from .gates import lock_player
from .inbox import tell_player
from .standing import set_kyc_state

TOLD_AHEAD = dt.timedelta(days=30)


def expire_documents(*, at: dt.datetime) -> int:
    """Let verified players expire whose document has run out, and tell those of whom it soon will; how many expired.

    By the day at the operator's place. Each player stands alone, so that what comes again begins where it ended.
    """
    today = operator_day(at)
    expired = sum(_expire(player_id, today, at) for player_id in _players(_run_out(today)))
    for player_id in _players(_soon(today)):
        _tell_ahead(player_id, today, at)
    return expired


def _run_out(today: dt.date) -> QuerySet[Person]:
    return Person.objects.filter(user__player__kyc_state=KycState.VERIFIED, document_expires_on__lt=today)


def _soon(today: dt.date) -> QuerySet[Person]:
    return Person.objects.filter(
        user__player__kyc_state=KycState.VERIFIED,
        document_expires_on__range=(today, today + TOLD_AHEAD),
        expiry_told_at__isnull=True,
    )


def _players(people: QuerySet[Person]) -> list[int]:
    return list(people.order_by("user__player").values_list("user__player", flat=True))


def _expire(player_id: int, today: dt.date, at: dt.datetime) -> bool:
    with audited():
        player = lock_player(Player(pk=player_id))
        # A new document may have been recorded since.
        if not _run_out(today).filter(user__player=player).exists():
            return False
        set_kyc_state(player=player, state=KycState.EXPIRED, reason="the document has run out", actor="system", at=at)
        return True


def _tell_ahead(player_id: int, today: dt.date, at: dt.datetime) -> None:
    with transaction.atomic():
        player = lock_player(Player(pk=player_id))
        if Person.objects.filter(pk__in=_soon(today).filter(user__player=player)).update(expiry_told_at=at):
            # Not the day itself: messages are kept when the person's data are erased.
            tell_player(player=player, kind=InboxKind.IDENTITY, data={"state": "expires_soon"}, at=at)
