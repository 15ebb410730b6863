"""Keeping a player from the games: by his own wish, at once, or by the operator's or a register's."""

import datetime as dt
from collections.abc import Sequence

from roulette_site.common.audit import audited, record, via_of
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import Exclusion, ExclusionEnd, ExclusionKind, InboxKind, Player, Standing
from wallets.protection import END_OF_TIME, PAUSES, SELF_EXCLUSIONS, add_months
from wallets.selectors.exclusion import early_ends_open_to
from wallets.selectors.gates import end_of
from wallets.selectors.people import accounts_of

from .caps import check_independent
from .gates import lock_player, lock_players, refresh_gates
from .inbox import tell_player


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


def exclude_self(*, player: Player, term: str, at: dt.datetime, via: str = "") -> Exclusion:
    """Exclude the player at his own wish, at once, for a pause or one of the longer terms; raises UnknownTerm.

    `via` is the key through which he asked, if any, and stands in the trail.
    """
    ends_at: dt.datetime | None
    if term in PAUSES:
        kind, ends_at = ExclusionKind.PAUSE, at + PAUSES[term]
    elif term in SELF_EXCLUSIONS:
        months = SELF_EXCLUSIONS[term]
        kind, ends_at = ExclusionKind.SELF, None if months is None else add_months(at, months)
    else:
        raise UnknownTerm("Choose one of the terms on offer.", terms=[*PAUSES, *SELF_EXCLUSIONS])
    return _exclude(player, kind, term, ends_at, actor=f"player:{player.pk}", reason="", at=at, via=via)


def exclude_player(
    *,
    player: Player,
    ends_at: dt.datetime | None,
    reason: str,
    actor: str,
    at: dt.datetime,
) -> Exclusion:
    """Exclude the player for the operator, until `ends_at` or without end."""
    if ends_at is not None and ends_at <= at:
        raise UnknownTerm("An exclusion ends later than it begins.")
    term = "without end" if ends_at is None else "until a day"
    return _exclude(player, ExclusionKind.OPERATOR, term, ends_at, actor=actor, reason=clean_reason(reason), at=at)


def exclude_by_register(*, player: Player, actor: str, at: dt.datetime) -> Exclusion:
    """Exclude a player whom the register has just been found to list, for as long as it lists him."""
    reason = "The register of excluded people lists him."
    return _exclude(player, ExclusionKind.REGISTER, "while listed", None, actor=actor, reason=reason, at=at)


def carry_over(players: Sequence[Player], *, at: dt.datetime) -> None:
    """Let every exclusion that runs for one of these accounts of one person hold for the others, for as long.

    Each has its own row, once, which ends with what it was taken from as that stands now. Who is somebody else is let
    go by two people (`lift_exclusion`). The caller holds the lock of all of them.
    """
    if len(players) < 2:
        return
    found = Exclusion.objects.filter(player__in=players).select_related("early_end", "original").order_by("id")
    running = [one for one in found if at < end_of(one)]
    # Also what was lifted: once two people have found that he is somebody else, the same one does not come back.
    carried = {(one.player_id, one.original_id) for one in found}
    for one in running:
        original = one.original or one
        for player in players:
            if player.pk in (one.player_id, original.player_id) or (player.pk, original.pk) in carried:
                continue
            if player.standing == Standing.CLOSED:
                continue
            carried.add((player.pk, original.pk))
            ends_at = end_of(one)
            _append(
                player,
                ExclusionKind.DOUBLE,
                "as another account",
                None if ends_at == END_OF_TIME else ends_at,
                actor="system",
                reason=f"Exclusion {original.pk} of player {original.player_id}, who seems to be the same person.",
                at=at,
                original=original,
            )


def ask_for_early_end(*, player: Player, at: dt.datetime) -> list[ExclusionEnd]:
    """Ask to end the player's own self-exclusions: a month later, and three months after they began at the earliest.

    A pause ends by itself, and what others decided is not the player's to end. Raises NoEarlyEnd.
    """
    with audited():
        player = lock_player(player)
        asked = [
            ExclusionEnd(exclusion=one, asked_at=at, ends_at=ends_at, actor=f"player:{player.pk}")
            for one, ends_at in early_ends_open_to(player, at)
        ]
        if not asked:
            raise NoEarlyEnd("Nothing of yours can end earlier than it does.")
        for end in asked:
            end.save(force_insert=True)
        refresh_gates(player)
        record(
            act="early_end_asked",
            actor=f"player:{player.pk}",
            subject=("player", player.pk),
            after={"ends_at": {str(end.exclusion_id): end.ends_at.isoformat() for end in asked}},
            at=at,
        )
        return asked


def lift_exclusion(*, exclusion_id: int, reason: str, actor: str, second_actor: str, at: dt.datetime) -> ExclusionEnd:
    """End what the operator decided; two people. A player's own exclusion, or a register's, is not theirs to lift.

    Neither of them is the player, nor anybody who may be he. Raises NoEarlyEnd, TwoPeopleNeeded, OwnBenefit or
    ReasonMissing.
    """
    reason = clean_reason(reason)
    with audited():
        exclusion = Exclusion.objects.select_related("player").filter(pk=exclusion_id).first()
        if exclusion is None or exclusion.kind in (ExclusionKind.SELF, ExclusionKind.PAUSE):
            raise NoEarlyEnd("A player's own exclusion ends as he chose, or as he asks.")
        if exclusion.kind == ExclusionKind.REGISTER:
            raise NoEarlyEnd("What a register excludes is excluded until the register names him no longer.")
        player = lock_player(exclusion.player)
        if ExclusionEnd.objects.filter(exclusion=exclusion).exists():
            raise NoEarlyEnd("This exclusion is lifted already.")
        if not second_actor or second_actor == actor:
            raise TwoPeopleNeeded("An exclusion is lifted by two people.")
        check_independent(player=player, actors=(actor, second_actor))
        end = _end(player, exclusion, actor=actor, second_actor=second_actor, reason=reason, at=at)
        refresh_gates(player)
        return end


def lift_by_register(*, exclusion: Exclusion, actor: str, at: dt.datetime) -> ExclusionEnd:
    """End the exclusion of a player whom the register has just been found to list no longer; the caller holds his lock.

    It was not the house's to decide, so nobody's second word is needed: a trigger looks for the register's instead.
    """
    reason = "The register of excluded people lists him no longer."
    return _end(exclusion.player, exclusion, actor=actor, second_actor="", reason=reason, at=at)


def _end(
    player: Player, exclusion: Exclusion, *, actor: str, second_actor: str, reason: str, at: dt.datetime
) -> ExclusionEnd:
    end = ExclusionEnd.objects.create(
        exclusion=exclusion, asked_at=at, ends_at=at, actor=actor, second_actor=second_actor, reason=reason
    )
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
    via: str = "",
) -> Exclusion:
    with audited():
        accounts = accounts_of(player)
        lock_players(accounts)
        exclusion = _append(player, kind, term, ends_at, actor=actor, reason=reason, at=at, via=via)
        carry_over(accounts, at=at)
        return exclusion


def _append(
    player: Player,
    kind: ExclusionKind,
    term: str,
    ends_at: dt.datetime | None,
    *,
    actor: str,
    reason: str,
    at: dt.datetime,
    original: Exclusion | None = None,
    via: str = "",
) -> Exclusion:
    with audited():
        player = lock_player(player)
        exclusion = Exclusion.objects.create(
            player=player, kind=kind, starts_at=at, ends_at=ends_at, term=term, actor=actor, reason=reason,
            original=original,
        )  # fmt: skip
        refresh_gates(player)
        data = {"by": str(kind), "ends_at": None if ends_at is None else ends_at.isoformat()}
        tell_player(player=player, kind=InboxKind.EXCLUSION, data=data, at=at)
        record(
            act="player_excluded",
            actor=actor,
            subject=("player", player.pk),
            after={"exclusion": exclusion.pk, "kind": str(kind), "term": term}
            | ({} if original is None else {"original": original.pk})
            | via_of(via),
            reason=reason,
            at=at,
        )
        return exclusion
