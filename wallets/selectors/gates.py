"""What a player may do, read from the rows that say so."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.db.models import F, Sum

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
from wallets.protection import END_OF_TIME, PlayerCalendar, strictest

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
    rows = Limit.objects.filter(player=player, side=side).order_by("id")
    last = {(LimitKind(row.kind), LimitPeriod(row.period)): row for row in rows}
    return {key: row for key, row in last.items() if row.value is not None}


def limit_of(player: Player, kind: LimitKind, period: LimitPeriod) -> int | None:
    """The limit that holds, the stricter of both sides."""
    return strictest(_value(limits_of(player, side).get((kind, period))) for side in LimitSide)


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
    sides = [limits_of(player, side) for side in LimitSide]

    def limit(kind: LimitKind, period: LimitPeriod) -> int | None:
        return strictest(_value(side.get((kind, period))) for side in sides)

    return found | {
        "unchecked_from": unchecked_from(player),
        "stake_limit_cents": limit(LimitKind.STAKE, LimitPeriod.ROUND),
        "loss_day_limit_cents": limit(LimitKind.LOSS, LimitPeriod.DAY),
        "loss_week_limit_cents": limit(LimitKind.LOSS, LimitPeriod.WEEK),
        "loss_month_limit_cents": limit(LimitKind.LOSS, LimitPeriod.MONTH),
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
    days = PlayerDay.objects.filter(account_id=account_id, day__lte=calendar.day)
    return {
        period: days.filter(day__gte=calendar.first_day_of(period)).aggregate(
            lost=Sum(F("staked_cents") - F("returned_cents"), default=0)
        )["lost"]
        for period in ("day", "week", "month")
    }


def deposits_of(account_id: int, calendar: PlayerCalendar) -> dict[str, int]:
    """What the player has paid in in his day, week and month so far, in cents."""
    days = PlayerDay.objects.filter(account_id=account_id, day__lte=calendar.day)
    return {
        period: days.filter(day__gte=calendar.first_day_of(period)).aggregate(paid=Sum("deposited_cents", default=0))[
            "paid"
        ]
        for period in ("day", "week", "month")
    }


def _value(limit: Limit | None) -> int | None:
    return None if limit is None else limit.value


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
