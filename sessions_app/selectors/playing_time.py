"""What a player's limits leave him of playing time, and how long he has played in a stretch."""

import datetime as dt

from sessions_app.models import GameSession
from sessions_app.playing_time import Interval, TimeLimit, play_until
from wallets.models import LimitKind, LimitPeriod, Player, Unit
from wallets.protection import REALITY_CHECK_SECONDS, PlayerCalendar
from wallets.selectors.gates import limit_of

_PERIODS = (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH)


def reality_check_seconds(player: Player) -> int:
    """How long the player plays until he is asked whether he goes on: by his own wish, or every hour."""
    found = limit_of(player, LimitKind.REALITY_CHECK, LimitPeriod.STRETCH)
    return REALITY_CHECK_SECONDS if found is None else found


def may_play_until(player: Player, at: dt.datetime) -> dt.datetime | None:
    """The instant at which the player's time for money is used up if he plays on from `at`; None without a limit."""
    limits = time_limits(player, at)
    if not limits:
        return None
    return play_until(limits, played_by(player, min(limit.starts_at for limit in limits), at), at)


def time_limits(player: Player, at: dt.datetime) -> list[TimeLimit]:
    """The limits of playing time, in the periods of the player's calendar that `at` lies in."""
    calendar = PlayerCalendar.at(at, player.time_zone)
    return [
        TimeLimit(seconds, calendar.start_of(period, player.time_zone), calendar.end_of(period, player.time_zone))
        for period in _PERIODS
        if (seconds := limit_of(player, LimitKind.SESSION_TIME, period)) is not None
    ]


def played_by(player: Player, since: dt.datetime, at: dt.datetime) -> list[Interval]:
    """When the player was at tables for money between two instants; two tables at once are two intervals."""
    sessions = GameSession.objects.filter(player=player, seat__table__unit=Unit.EUR, started_at__lt=at)
    rows = sessions.exclude(ended_at__lte=since).values_list("started_at", "ended_at")
    return [(started_at, min(ended_at or at, at)) for started_at, ended_at in rows]
