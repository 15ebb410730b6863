"""Keeping a player from the games: by his own wish, at once, or by the operator's or a register's."""

import datetime as dt

from django.db import transaction

from roulette_site.common.audit import record
from roulette_site.common.errors import RuleBroken
from wallets.models import Exclusion, ExclusionEnd, ExclusionKind, InboxKind, Player
from wallets.protection import PAUSES, SELF_EXCLUSIONS, add_months, early_end_of_self_exclusion

from .gates import lock_player, refresh_gates
from .inbox import tell_player
from .standing import checked_reason


class UnknownTerm(RuleBroken):
    """An exclusion is for one of the terms on offer."""

    code = "unknown_term"
    http_status = 400


class NoEarlyEnd(RuleBroken):
    """Nothing of the player's ends early: no exclusion of his own runs, or its end was asked for already."""

    code = "no_early_end"


class TwoPeopleNeeded(RuleBroken):
    """What was not the player's own choice is lifted by two people."""

    code = "two_people_needed"


def exclude_self(*, player: Player, term: str, at: dt.datetime) -> Exclusion:
    """Exclude the player at his own wish, at once, for a pause or one of the longer terms; raises UnknownTerm."""
    ends_at: dt.datetime | None
    if term in PAUSES:
        kind, ends_at = ExclusionKind.PAUSE, at + PAUSES[term]
    elif term in SELF_EXCLUSIONS:
        months = SELF_EXCLUSIONS[term]
        kind, ends_at = ExclusionKind.SELF, None if months is None else add_months(at, months)
    else:
        raise UnknownTerm("Choose one of the terms on offer.", terms=[*PAUSES, *SELF_EXCLUSIONS])
    return _exclude(player, kind, term, ends_at, actor=f"player:{player.pk}", reason="", at=at)


def exclude_player(
    *,
    player: Player,
    kind: ExclusionKind,
    ends_at: dt.datetime | None,
    reason: str,
    actor: str,
    at: dt.datetime,
) -> Exclusion:
    """Exclude the player for the operator or because of a register, until `ends_at` or without end."""
    assert kind in (ExclusionKind.OPERATOR, ExclusionKind.REGISTER), "a player excludes himself"
    if ends_at is not None and ends_at <= at:
        raise UnknownTerm("An exclusion ends later than it begins.")
    term = "without end" if ends_at is None else "until a day"
    return _exclude(player, kind, term, ends_at, actor=actor, reason=checked_reason(reason), at=at)


def ask_for_early_end(*, player: Player, at: dt.datetime) -> list[ExclusionEnd]:
    """Ask to end the player's own self-exclusions: a month later, and three months after they began at the earliest.

    A pause ends by itself, and what others decided is not the player's to end. Raises NoEarlyEnd.
    """
    with transaction.atomic():
        player = lock_player(player)
        asked = []
        for one in Exclusion.objects.filter(player=player, kind=ExclusionKind.SELF, early_end__isnull=True).order_by(
            "id"
        ):
            ends_at = early_end_of_self_exclusion(starts_at=one.starts_at, asked_at=at)
            if one.ends_at is None or ends_at < one.ends_at:
                asked.append(ExclusionEnd(exclusion=one, asked_at=at, ends_at=ends_at, actor=f"player:{player.pk}"))
        if not asked:
            raise NoEarlyEnd("Nothing of yours can end earlier than it does.")
        for end in asked:
            end.save(force_insert=True)
        refresh_gates(player)
        return asked


def lift_exclusion(*, exclusion_id: int, reason: str, actor: str, second_actor: str, at: dt.datetime) -> ExclusionEnd:
    """End what the operator or a register decided; two people. A player's own exclusion is nobody's to lift.

    Raises NoEarlyEnd, TwoPeopleNeeded or ReasonMissing.
    """
    reason = checked_reason(reason)
    with transaction.atomic():
        exclusion = Exclusion.objects.select_related("player").filter(pk=exclusion_id).first()
        if exclusion is None or exclusion.kind in (ExclusionKind.SELF, ExclusionKind.PAUSE):
            raise NoEarlyEnd("A player's own exclusion ends as he chose, or as he asks.")
        player = lock_player(exclusion.player)
        if ExclusionEnd.objects.filter(exclusion=exclusion).exists():
            raise NoEarlyEnd("This exclusion is lifted already.")
        if not second_actor or second_actor == actor:
            raise TwoPeopleNeeded("An exclusion is lifted by two people.")
        end = ExclusionEnd.objects.create(
            exclusion=exclusion, asked_at=at, ends_at=at, actor=actor, second_actor=second_actor, reason=reason
        )
        refresh_gates(player)
        tell_player(player=player, kind=InboxKind.EXCLUSION, data={"lifted": exclusion.pk}, at=at)
        record(
            act="exclusion_lifted",
            actor=actor,
            subject=("player", player.pk),
            after={"exclusion": exclusion.pk, "second_actor": second_actor},
            reason=reason,
            at=at,
        )
        return end


def _exclude(
    player: Player,
    kind: ExclusionKind,
    term: str,
    ends_at: dt.datetime | None,
    *,
    actor: str,
    reason: str,
    at: dt.datetime,
) -> Exclusion:
    with transaction.atomic():
        player = lock_player(player)
        exclusion = Exclusion.objects.create(
            player=player, kind=kind, starts_at=at, ends_at=ends_at, term=term, actor=actor, reason=reason
        )
        refresh_gates(player)
        data = {"by": str(kind), "ends_at": None if ends_at is None else ends_at.isoformat()}
        tell_player(player=player, kind=InboxKind.EXCLUSION, data=data, at=at)
        record(
            act="player_excluded",
            actor=actor,
            subject=("player", player.pk),
            after={"exclusion": exclusion.pk, "kind": str(kind), "term": term},
            reason=reason,
            at=at,
        )
        return exclusion
