"""A player's limits as his page shows them: who set what, how much of it is used, what waits."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sessions_app.playing_time import seconds_played
from wallets.models import (
    COUNTS_TIME,
    Account,
    AccountKind,
    Limit,
    LimitKind,
    LimitPeriod,
    LimitSide,
    Loosening,
    Player,
    Unit,
)
from wallets.protection import REALITY_CHECK_SECONDS, PlayerCalendar, strictest
from wallets.selectors.gates import deposits_of, limits_of, losses_of
from wallets.services.limits import PERIODS, pending_loosening

from .playing_time import played_by


@dataclass(frozen=True)
class LimitLine:
    """One kind and period: what either side has set, what is used, and what waits. Cents, or seconds."""

    kind: LimitKind
    period: LimitPeriod
    own: int | None
    operators: int | None
    used: int | None
    waiting: Loosening | None
    can_confirm: bool

    @property
    def value(self) -> int | None:
        """The limit that holds; a reality check there always is."""
        found = strictest((self.own, self.operators))
        return REALITY_CHECK_SECONDS if found is None and self.kind == LimitKind.REALITY_CHECK else found

    @property
    def counts_time(self) -> bool:
        return self.kind in COUNTS_TIME

    @property
    def per_cent_used(self) -> int:
        """How much of the limit is used, 0 to 100."""
        if not self.value or self.used is None:
            return 100 if self.value == 0 else 0
        return min(max(100 * self.used // self.value, 0), 100)


def limit_lines(player: Player, at: dt.datetime) -> list[LimitLine]:
    """Every limit there can be, in the order of the page."""
    own, operators = (limits_of(player, side) for side in LimitSide)
    used = _used(player, at)
    lines = []
    for kind, periods in PERIODS.items():
        for period in periods:
            waiting = pending_loosening(player, kind, period, at=at)
            lines.append(
                LimitLine(
                    kind=kind,
                    period=period,
                    own=_value(own.get((kind, period))),
                    operators=_value(operators.get((kind, period))),
                    used=used.get((kind, period)),
                    waiting=waiting,
                    can_confirm=waiting is not None and at >= waiting.confirmable_at,
                )
            )
    return lines


def _value(limit: Limit | None) -> int | None:
    return None if limit is None else limit.value


def _used(player: Player, at: dt.datetime) -> dict[tuple[LimitKind, LimitPeriod], int]:
    """What counts towards each limit in its period so far."""
    calendar = PlayerCalendar.at(at, player.time_zone)
    account = Account.objects.filter(player=player, kind=AccountKind.WALLET, unit=Unit.EUR).first()
    periods: Sequence[LimitPeriod] = (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH)
    used: dict[tuple[LimitKind, LimitPeriod], int] = {}
    lost = {} if account is None else losses_of(account.pk, calendar)
    deposited = {} if account is None else deposits_of(account.pk, calendar)
    for period in periods:
        used[LimitKind.LOSS, period] = max(lost.get(period, 0), 0)
        used[LimitKind.DEPOSIT, period] = deposited.get(period, 0)
        since = calendar.start_of(period, player.time_zone)
        used[LimitKind.SESSION_TIME, period] = int(seconds_played(played_by(player, since, at), since, at))
    return used
