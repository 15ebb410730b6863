"""A player's limits, of his own side and of the operator's. Who may loosen what is held by the database as well."""

import datetime as dt

from django.db import transaction

from roulette_site.common.audit import record
from roulette_site.common.errors import RuleBroken
from wallets.models import InboxKind, Limit, LimitKind, LimitPeriod, LimitSide, Loosening, Player
from wallets.protection import LOOSENING_LAPSES, LOOSENING_WAITS, is_looser

from .gates import lock_player, refresh_gates
from .inbox import tell_player
from .standing import checked_reason

PERIODS = {
    LimitKind.DEPOSIT: (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH),
    LimitKind.LOSS: (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH),
    LimitKind.SESSION_TIME: (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH),
    LimitKind.STAKE: (LimitPeriod.ROUND,),
    LimitKind.REALITY_CHECK: (LimitPeriod.STRETCH,),
}
# A billion euros: what a form can take, far below what a column holds.
MOST = 10**11


class InvalidLimit(RuleBroken):
    """No such limit: the kind has no such period, or the value is none."""

    code = "invalid_limit"
    http_status = 400


class LimitUnchanged(RuleBroken):
    """The limit is what was asked for already."""

    code = "limit_unchanged"


class LooseningPending(RuleBroken):
    """A looser limit of this kind waits already; one at a time."""

    code = "loosening_pending"


class NothingToConfirm(RuleBroken):
    """No looser limit of this player's waits under that number, or it lapsed or was overtaken."""

    code = "nothing_to_confirm"


class TooEarlyToConfirm(RuleBroken):
    """A looser limit is confirmed a day after it was asked for."""

    code = "too_early_to_confirm"


class OnlyTighter(RuleBroken):
    """One member of staff alone can only tighten."""

    code = "only_tighter"


def set_own_limit(
    *, player: Player, kind: LimitKind, period: LimitPeriod, value: int | None, at: dt.datetime
) -> Limit | Loosening:
    """Set the player's own limit: a tighter one holds at once, a looser one waits as the Loosening returned.

    `value` is in cents, or seconds where time is counted; None lifts the limit. A tighter limit overtakes whatever
    waits. Raises InvalidLimit, LimitUnchanged, or LooseningPending.
    """
    _check(kind, period, value)
    with transaction.atomic():
        player = lock_player(player)
        row_before = _row_now(player, LimitSide.PLAYER, kind, period)
        before = None if row_before is None else row_before.value
        if value == before:
            raise LimitUnchanged("This is your limit already.")
        if not is_looser(value, than=before):
            row = _append(player, LimitSide.PLAYER, kind, period, value, actor=f"player:{player.pk}", at=at)
            refresh_gates(player)
            return row
        assert row_before is not None, "without a limit before nothing is looser"
        if pending_loosening(player, kind, period, at=at) is not None:
            raise LooseningPending("A looser limit waits already: confirm it, or set a tighter one.")
        confirmable_at = at + LOOSENING_WAITS
        loosening = Loosening.objects.create(
            player=player,
            kind=kind,
            period=period,
            departs_from=row_before,
            value=value,
            asked_at=at,
            confirmable_at=confirmable_at,
            lapses_at=confirmable_at + LOOSENING_LAPSES,
        )
        tell_player(
            player=player,
            kind=InboxKind.LOOSENING,
            data={
                "kind": str(kind),
                "period": str(period),
                "value": value,
                "confirmable_at": loosening.confirmable_at.isoformat(),
                "lapses_at": loosening.lapses_at.isoformat(),
            },
            at=at,
        )
        return loosening


def confirm_loosening(*, player: Player, loosening_id: int, at: dt.datetime) -> Limit:
    """Let a looser limit hold that the player asked for a day ago or more.

    Confirmed twice, it is answered with the limit that holds. Raises NothingToConfirm or TooEarlyToConfirm.
    """
    with transaction.atomic():
        player = lock_player(player)
        loosening = Loosening.objects.filter(player=player, pk=loosening_id).first()
        if loosening is None:
            raise NothingToConfirm("There is no such limit to confirm.")
        confirmed = Limit.objects.filter(loosening=loosening).first()
        if confirmed is not None:
            return confirmed
        kind, period = LimitKind(loosening.kind), LimitPeriod(loosening.period)
        pending = pending_loosening(player, kind, period, at=at)
        if pending is None or pending.pk != loosening.pk:
            raise NothingToConfirm("This limit has lapsed, or another one was set since.")
        if at < loosening.confirmable_at:
            raise TooEarlyToConfirm(
                "A looser limit is confirmed a day after it was asked for.",
                confirmable_at=loosening.confirmable_at.isoformat(),
            )
        row = _append(
            player, LimitSide.PLAYER, kind, period, loosening.value,
            actor=f"player:{player.pk}", at=at, loosening=loosening,
        )  # fmt: skip
        refresh_gates(player)
        return row


def set_operator_limit(
    *,
    player: Player,
    kind: LimitKind,
    period: LimitPeriod,
    value: int | None,
    reason: str,
    actor: str,
    at: dt.datetime,
    second_actor: str = "",
) -> Limit:
    """Set a limit of the operator's beside the player's own; a looser one needs a second person.

    Raises InvalidLimit, LimitUnchanged, OnlyTighter or ReasonMissing.
    """
    _check(kind, period, value)
    reason = checked_reason(reason)
    with transaction.atomic():
        player = lock_player(player)
        row_before = _row_now(player, LimitSide.OPERATOR, kind, period)
        before = None if row_before is None else row_before.value
        if value == before:
            raise LimitUnchanged("This is the operator's limit already.")
        if is_looser(value, than=before) and second_actor in ("", actor):
            raise OnlyTighter("A limit of the operator's is loosened by two people.")
        row = _append(
            player, LimitSide.OPERATOR, kind, period, value,
            actor=actor, at=at, reason=reason, second_actor=second_actor,
        )  # fmt: skip
        refresh_gates(player)
        said = {"kind": str(kind), "period": str(period), "value": value}
        tell_player(player=player, kind=InboxKind.LIMIT, data=said, at=at)
        record(
            act="operator_limit_set",
            actor=actor,
            subject=("player", player.pk),
            before={"kind": str(kind), "period": str(period), "value": before},
            after={"kind": str(kind), "period": str(period), "value": value, "second_actor": second_actor},
            reason=reason,
            at=at,
        )
        return row


def pending_loosening(player: Player, kind: LimitKind, period: LimitPeriod, *, at: dt.datetime) -> Loosening | None:
    """The looser limit that waits for its day or for the player's word; None where it lapsed or was overtaken."""
    last = Loosening.objects.filter(player=player, kind=kind, period=period).order_by("-id").first()
    if last is None or at >= last.lapses_at:
        return None
    now = _row_now(player, LimitSide.PLAYER, kind, period)
    return last if now is not None and now.pk == last.departs_from_id else None


def _check(kind: LimitKind, period: LimitPeriod, value: int | None) -> None:
    if period not in PERIODS[kind]:
        raise InvalidLimit(f"There is no limit of {kind.label} over {period.label}.")
    if value is not None and not 0 <= value <= MOST:
        raise InvalidLimit("A limit is zero or more.")
    if kind == LimitKind.REALITY_CHECK and (value is None or value < 60):
        raise InvalidLimit("The reminder comes after a minute at the earliest, and cannot be switched off.")


def _row_now(player: Player, side: LimitSide, kind: LimitKind, period: LimitPeriod) -> Limit | None:
    return Limit.objects.filter(player=player, side=side, kind=kind, period=period).order_by("-id").first()


def _append(
    player: Player,
    side: LimitSide,
    kind: LimitKind,
    period: LimitPeriod,
    value: int | None,
    *,
    actor: str,
    at: dt.datetime,
    reason: str = "",
    second_actor: str = "",
    loosening: Loosening | None = None,
) -> Limit:
    return Limit.objects.create(
        player=player,
        side=side,
        kind=kind,
        period=period,
        value=value,
        actor=actor,
        second_actor=second_actor,
        reason=reason,
        loosening=loosening,
        set_at=at,
    )
