"""What a player may do, read from the rows that say so."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.expressions import Combinable

from wallets.models import (
    PLAYER_KINDS,
    Account,
    Exclusion,
    KycState,
    Limit,
    LimitKind,
    LimitPeriod,
    LimitSide,
    Player,
    PlayerDay,
    Standing,
    Unit,
)
from wallets.protection import END_OF_TIME, PlayerCalendar

from .registers import unchecked_from

LimitKey = tuple[LimitKind, LimitPeriod]
NO_GATES: dict[str, Any] = {
    "barred": "",
    "excluded_until": None,
    "unchecked_from": None,
    "stake_limit_cents": None,
    "loss_day_limit_cents": None,
    "loss_week_limit_cents": None,
    "loss_month_limit_cents": None,
}


def limits_of(player: Player, side: LimitSide) -> dict[LimitKey, Limit]:
    """The limits that one side has set and that hold: of each kind and period the last row."""
    return dict(_limits_that_hold(Limit.objects.filter(player=player, side=side)))


def strictest_limits(player: Player) -> dict[LimitKey, int]:
    """The limits that hold, of each kind and period the stricter of both sides; one query."""
    found: dict[LimitKey, int] = {}
    for key, row in _limits_that_hold(Limit.objects.filter(player=player)):
        assert row.value is not None, "without a value none holds"
        found[key] = min(row.value, found.get(key, row.value))
    return found


def _limits_that_hold(rows: QuerySet[Limit]) -> Iterator[tuple[LimitKey, Limit]]:
    """Of each side, kind and period the last row, where it sets a limit."""
    last = {(row.side, row.kind, row.period): row for row in rows.order_by("id")}
    for (_, kind, period), row in last.items():
        if row.value is not None:
            yield (LimitKind(kind), LimitPeriod(period)), row


def excluded_until(player: Player) -> dt.datetime | None:
    """The instant until which some exclusion holds or has held; None for who never had one."""
    ends = [end_of(one) for one in Exclusion.objects.filter(player=player).select_related("early_end")]
    return max(ends, default=None)


def end_of(exclusion: Exclusion) -> dt.datetime:
    """When an exclusion ends as it stands, an early end counted in."""
    end = exclusion.ends_at or END_OF_TIME
    early = getattr(exclusion, "early_end", None)
    return end if early is None else min(end, early.ends_at)


def bars_of(player: Player, unit: str) -> Iterator[str]:
    """The words for what bars a player's bets, but for exclusion, which ends by the clock."""
    if player.standing == Standing.SUSPENDED:
        yield "suspended"
    if player.standing == Standing.CLOSING:
        yield "closing"
    if player.standing == Standing.CLOSED:
        yield "closed"
    if unit == Unit.EUR and player.kyc_state != KycState.VERIFIED:
        yield "not_verified"
    if unit == Unit.EUR and (player.is_restricted or player.user.is_staff):
        yield "restricted"


def gates_of(player: Player, unit: str) -> dict[str, Any]:
    """The columns of an account that placing reads, as the rows have them now.

    Limits are of money, and so is the register's answer: play units know neither. Exclusion keeps from every game.
    """
    found = {"barred": " ".join(bars_of(player, unit)), "excluded_until": excluded_until(player)}
    if unit != Unit.EUR:
        return NO_GATES | found
    limits = strictest_limits(player)
    return found | {
        "unchecked_from": unchecked_from(player),
        "stake_limit_cents": limits.get((LimitKind.STAKE, LimitPeriod.ROUND)),
        "loss_day_limit_cents": limits.get((LimitKind.LOSS, LimitPeriod.DAY)),
        "loss_week_limit_cents": limits.get((LimitKind.LOSS, LimitPeriod.WEEK)),
        "loss_month_limit_cents": limits.get((LimitKind.LOSS, LimitPeriod.MONTH)),
    }


def words_against(account: Account, at: dt.datetime) -> list[str]:
    """What keeps the account's player from betting at `at`, in the order in which placing says it."""
    is_excluded = account.excluded_until is not None and at < account.excluded_until
    is_unchecked = account.unchecked_from is not None and at >= account.unchecked_from
    return [
        *(["excluded"] if is_excluded else []),
        *account.barred.split(),
        *(["register_unknown"] if is_unchecked else []),
    ]


def losses_of(account_id: int, calendar: PlayerCalendar) -> dict[str, int]:
    """Stakes that stand minus returns of the player's day, week and month so far, in cents."""
    return _by_period(account_id, calendar, F("staked_cents") - F("returned_cents"))


def deposits_of(account_id: int, calendar: PlayerCalendar) -> dict[str, int]:
    """What the player has paid in in his day, week and month so far, in cents."""
    return _by_period(account_id, calendar, F("deposited_cents"))


def _by_period(account_id: int, calendar: PlayerCalendar, cents: Combinable) -> dict[str, int]:
    first_days = {period: calendar.first_day_of(period) for period in ("day", "week", "month")}
    days = PlayerDay.objects.filter(account_id=account_id, day__gte=min(first_days.values()), day__lte=calendar.day)
    # Not named like the column `day`.
    sums = {f"{period}s": Sum(cents, filter=Q(day__gte=first), default=0) for period, first in first_days.items()}
    found = days.aggregate(**sums)
    return {period: found[f"{period}s"] for period in first_days}


def find_wrong_gates() -> Iterator[str]:
    """Name each account whose gates are not what its player's rows say; one player at a time.

    From what he owes nobody bets, nor from the operator's accounts: those have none.
    """
    accounts = Account.objects.select_related("player__user").order_by("player_id", "id")
    for account in accounts.iterator(chunk_size=500):
        player = account.player if account.kind in PLAYER_KINDS else None
        due = NO_GATES if player is None else gates_of(player, account.unit)
        for name, value in due.items():
            if getattr(account, name) != value:
                yield f"account {account.pk}: {name} is {getattr(account, name)!r}, the rows say {value!r}"
