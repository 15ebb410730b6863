"""How long a player has played, and until when he may. Pure: it knows no database and no current time."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Interval = tuple[dt.datetime, dt.datetime]


@dataclass(frozen=True)
class TimeLimit:
    """At most `seconds` between `starts_at` and `ends_at`, and again in the period that follows."""

    seconds: int
    starts_at: dt.datetime
    ends_at: dt.datetime


def seconds_played(intervals: Iterable[Interval], since: dt.datetime, until: dt.datetime) -> float:
    """The time that the intervals cover between two instants; two tables at once are one time.

    >>> noon = dt.datetime(2026, 6, 15, 12)
    >>> hour = dt.timedelta(hours=1)
    >>> seconds_played([(noon, noon + hour), (noon + hour / 2, noon + 2 * hour)], noon, noon + 3 * hour) / 3600
    2.0
    """
    total = 0.0
    reached = since
    for start, end in sorted(intervals):
        start, end = max(start, reached), min(end, until)
        if end > start:
            total += (end - start).total_seconds()
            reached = end
    return total


def play_until(limits: Sequence[TimeLimit], intervals: Sequence[Interval], now: dt.datetime) -> dt.datetime | None:
    """The instant at which some limit is used up by who plays on from `now`; None without a limit.

    Who plays over the end of a day, a week or a month has the next one's time from there on.
    """
    return min((_used_up(limit, intervals, now) for limit in limits), default=None)


def _used_up(limit: TimeLimit, intervals: Sequence[Interval], now: dt.datetime) -> dt.datetime:
    left = limit.seconds - seconds_played(intervals, limit.starts_at, now)
    end = now + dt.timedelta(seconds=max(left, 0))
    return end if end <= limit.ends_at else limit.ends_at + dt.timedelta(seconds=limit.seconds)
