"""What a player's limits leave him of playing time, and how long he has played in a stretch."""

import datetime as dt
from collections.abc import Iterator

from django.db.models import Max

from sessions_app.models import GameSession
from sessions_app.playing_time import Interval, TimeLimit, play_until
from wallets.models import Limit, LimitKind, LimitPeriod, LimitSide, Player, Unit
from wallets.protection import REALITY_CHECK_SECONDS, PlayerCalendar, strictest
from wallets.selectors.gates import limits_of, strictest_limits

# Services take the instant of an act before they wait for the player's lock.
LONGEST_WAIT = dt.timedelta(minutes=1)
_PERIODS = (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH)


def reality_check_seconds(player: Player) -> int:
    """How long the player plays until he is asked whether he goes on: by his own wish, or every hour.

    The house may have him asked sooner, and not later: what it sets stands beside the hour where he has set nothing.
    """
    key = (LimitKind.REALITY_CHECK, LimitPeriod.STRETCH)
    wished = None if key in limits_of(player, LimitSide.PLAYER) else REALITY_CHECK_SECONDS
    found = strictest([strictest_limits(player).get(key), wished])
    assert found is not None, "somebody has set it, or the hour stands"
    return found


def may_play_until(player: Player, at: dt.datetime) -> dt.datetime | None:
    """The instant at which the player's time for money is used up if he plays on from `at`; None without a limit."""
    limits = time_limits(player, at)
    if not limits:
        return None
    return play_until(limits, played_by(player, min(limit.starts_at for limit in limits), at), at)


def find_wrong_times() -> Iterator[str]:
    """Name each seat that is held to other times than its player's limits, sessions and answers come to.

    They are worked out for the instant at which the seat was last held to them.
    """
    sessions = (
        GameSession.objects.filter(ended_at__isnull=True).select_related("player", "seat__account").order_by("pk")
    )
    for game_session in sessions.iterator(chunk_size=500):
        player, seat = game_session.player, game_session.seat
        until = asked_at = None
        if seat.account.unit == Unit.EUR:
            set_at = Limit.objects.filter(
                player=player, kind__in=(LimitKind.SESSION_TIME, LimitKind.REALITY_CHECK)
            ).aggregate(last=Max("set_at"))["last"]
            last = game_session.reality_checks.aggregate(last=Max("acknowledged_at"))["last"]
            begun = last or game_session.started_at
            until = may_play_until(player, max(begun, set_at or begun))
            asked_at = begun + dt.timedelta(seconds=reality_check_seconds(player))
        for name, stands, due in (
            ("play_until", seat.play_until, until),
            ("reality_check_at", seat.reality_check_at, asked_at),
        ):
            if not _is_about(stands, due):
                yield f"seat {seat.pk}: {name} is {stands}, the player's limits come to {due}"


def _is_about(stands: dt.datetime | None, due: dt.datetime | None) -> bool:
    """Whether two instants are the same, but for what somebody waited who set a limit as the player sat down."""
    if stands is None or due is None:
        return stands is due
    return abs(stands - due) <= LONGEST_WAIT


def time_limits(player: Player, at: dt.datetime) -> list[TimeLimit]:
    """The limits of playing time, in the periods of the player's calendar that `at` lies in."""
    calendar, limits = PlayerCalendar.at(at, player.time_zone), strictest_limits(player)
    return [
        TimeLimit(seconds, calendar.start_of(period, player.time_zone), calendar.end_of(period, player.time_zone))
        for period in _PERIODS
        if (seconds := limits.get((LimitKind.SESSION_TIME, period))) is not None
    ]


def played_by(player: Player, since: dt.datetime, at: dt.datetime) -> list[Interval]:
    """When the player was at tables for money between two instants; two tables at once are two intervals."""
    sessions = GameSession.objects.filter(player=player, seat__table__unit=Unit.EUR, started_at__lt=at)
    rows = sessions.exclude(ended_at__lte=since).values_list("started_at", "ended_at")
    return [(started_at, min(ended_at or at, at)) for started_at, ended_at in rows]
