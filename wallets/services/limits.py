"""A player's limits, of his own side and of the operator's. Who may loosen what is held by the database as well."""

import datetime as dt
from collections.abc import Callable, Sequence

from roulette_site.common.audit import audited, record, via_of
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import InboxKind, Limit, LimitKind, LimitPeriod, LimitSide, Loosening, Player
from wallets.protection import LOOSENING_LAPSES, LOOSENING_WAITS, REALITY_CHECK_SECONDS, is_looser
from wallets.selectors.gates import limits_of

from .caps import check_independent
from .gates import lock_player, refresh_gates
from .inbox import tell_player

PERIODS = {
    LimitKind.DEPOSIT: (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH),
    LimitKind.LOSS: (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH),
    LimitKind.SESSION_TIME: (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH),
    LimitKind.STAKE: (LimitPeriod.ROUND,),
    LimitKind.REALITY_CHECK: (LimitPeriod.STRETCH,),
}
# What the apps above carry a changed limit through to, in the same transaction and under the player's lock.
_followers: list[Callable[[Player, LimitKind, dt.datetime], None]] = []
# A billion euros: what a form can take, far below what a column holds.
MOST = 10**11
LONGEST_STRETCH_SECONDS = 24 * 60 * 60


class InvalidLimit(RuleBroken):
    """No such limit: the kind has no such period, or the value is none."""

    code = "invalid_limit"
    http_status = 400


class LimitUnchanged(RuleBroken):
    """The limit is what was asked for already."""

    code = "limit_unchanged"


class LimitChanged(RuleBroken):
    """Between asking and deciding the limit has become another one."""

    code = "limit_changed"


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


def register_follower(follow: Callable[[Player, LimitKind, dt.datetime], None]) -> None:
    """Let something else hold to a limit from the instant in which it changes; called from AppConfig.ready."""
    _followers.append(follow)


def check_loosening(
    *, player: Player, kind: LimitKind, period: LimitPeriod, value: int | None, before: int | None
) -> None:
    """Refuse what would loosen no limit of the operator's that is `before`; raises InvalidLimit or LimitChanged."""
    _check(kind, period, value)
    now = operator_limit(player=player, kind=kind, period=period)
    if now != before:
        raise LimitChanged("The limit was changed since: ask anew.")
    if now is None:
        raise InvalidLimit("The house has set no such limit: there is nothing to loosen.")
    if not is_looser(value, than=now):
        raise InvalidLimit("This loosens nothing: one person alone can set it.")


def operator_limit(*, player: Player, kind: LimitKind, period: LimitPeriod) -> int | None:
    """What the operator's limit is now; None where there is none."""
    row = _row_now(player, LimitSide.OPERATOR, kind, period)
    return None if row is None else row.value


def set_own_limit(
    *, player: Player, kind: LimitKind, period: LimitPeriod, value: int | None, at: dt.datetime, via: str = ""
) -> Limit | Loosening:
    """Set the player's own limit: a tighter one holds at once, a looser one waits as the Loosening returned.

    `value` is in cents, or seconds where time is counted; None lifts the limit. A tighter limit overtakes whatever
    waits. `via` is the key through which he asked, if any, and stands in the trail.

    Raises InvalidLimit, LimitUnchanged, or LooseningPending.
    """
    _check(kind, period, value)
    with audited():
        player = lock_player(player)
        row_before = _row_now(player, LimitSide.PLAYER, kind, period)
        if row_before is None and kind == LimitKind.REALITY_CHECK and is_looser(value, than=REALITY_CHECK_SECONDS):
            # Who has set nothing is asked every hour, and a longer stretch waits its day like any other loosening.
            row_before = _append(
                player, LimitSide.PLAYER, kind, period, REALITY_CHECK_SECONDS, actor=f"player:{player.pk}", at=at
            )
        before = None if row_before is None else row_before.value
        if value == before:
            raise LimitUnchanged("This is your limit already.")
        if not is_looser(value, than=before):
            row = _append(player, LimitSide.PLAYER, kind, period, value, actor=f"player:{player.pk}", at=at)
            _let_hold(row, before, via=via)
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
        record(
            act="loosening_asked",
            actor=f"player:{player.pk}",
            subject=("player", player.pk),
            before={"kind": str(kind), "period": str(period), "value": before},
            after={"kind": str(kind), "period": str(period), "value": value, "loosening": loosening.pk} | via_of(via),
            at=at,
        )
        return loosening


def confirm_loosening(*, player: Player, loosening_id: int, at: dt.datetime, via: str = "") -> Limit:
    """Let a looser limit hold that the player asked for a day ago or more.

    Confirmed twice, it is answered with the limit that holds. Raises NothingToConfirm or TooEarlyToConfirm.
    """
    with audited():
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
        _let_hold(row, loosening.departs_from.value, via=via)
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

    Neither of the two is the player, nor anybody who may be he. Raises InvalidLimit, LimitUnchanged, OnlyTighter,
    OwnBenefit or ReasonMissing.
    """
    _check(kind, period, value)
    reason = clean_reason(reason)
    with audited():
        player = lock_player(player)
        row_before = _row_now(player, LimitSide.OPERATOR, kind, period)
        before = None if row_before is None else row_before.value
        if value == before:
            raise LimitUnchanged("This is the operator's limit already.")
        if is_looser(value, than=before):
            if second_actor in ("", actor):
                raise OnlyTighter("A limit of the operator's is loosened by two people.")
            check_independent(player=player, actors=(actor, second_actor))
        row = _append(
            player, LimitSide.OPERATOR, kind, period, value,
            actor=actor, at=at, reason=reason, second_actor=second_actor,
        )  # fmt: skip
        said = {"kind": str(kind), "period": str(period), "value": value}
        tell_player(player=player, kind=InboxKind.LIMIT, data=said, at=at)
        _let_hold(row, before)
        return row


def carry_over_limits(players: Sequence[Player], *, at: dt.datetime) -> None:
    """Let the own limits of a person's older accounts hold for his newer ones: none is shed by registering anew.

    Only what is tighter, and nothing where he has waited his day for a looser one on the newer account itself. The
    caller holds the lock of all of them, which are in the order of their numbers.
    """
    for number, player in enumerate(players):
        for older in players[:number]:
            for (kind, period), limit in limits_of(older, LimitSide.PLAYER).items():
                row_before = _row_now(player, LimitSide.PLAYER, kind, period)
                before = REALITY_CHECK_SECONDS if kind == LimitKind.REALITY_CHECK else None
                if row_before is not None:
                    before = row_before.value
                is_waited_for = row_before is not None and row_before.loosening_id is not None
                if is_waited_for or not is_looser(before, than=limit.value):
                    continue
                reason = f"Limit {limit.pk} of player {older.pk}, who seems to be the same person."
                with audited():
                    row = _append(
                        player, LimitSide.PLAYER, kind, period, limit.value,
                        actor=f"player:{player.pk}", at=at, reason=reason,
                    )  # fmt: skip
                    _let_hold(row, before if row_before is not None else None, by="system")


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
    if value is not None and value < 0:
        raise InvalidLimit("A limit is zero or more.")
    if value is not None and value > MOST:
        raise InvalidLimit("This is more than any limit can be.")
    if kind == LimitKind.REALITY_CHECK and (value is None or not 60 <= value <= LONGEST_STRETCH_SECONDS):
        raise InvalidLimit("The reminder comes after a minute at the earliest and a day at the latest, and never not.")


def _let_hold(row: Limit, before: int | None, *, by: str = "", via: str = "") -> None:
    """Carry a limit through to everything that is held to it, and put it on record, as done `by` who is not its own."""
    refresh_gates(row.player)
    for follow in _followers:
        follow(row.player, LimitKind(row.kind), row.set_at)
    about: dict[str, str | int | None] = {"kind": str(row.kind), "period": str(row.period)}
    second = {"second_actor": row.second_actor} if row.side == LimitSide.OPERATOR else {}
    record(
        act=f"{row.side}_limit_set",
        actor=by or row.actor,
        subject=("player", row.player_id),
        before=about | {"value": before},
        after=about | {"value": row.value} | second | via_of(via),
        reason=row.reason,
        at=row.set_at,
    )


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
