"""The protection of players as plain rules: calendars, limits, waiting times. Pure: no database, no current time."""

import calendar
import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

# A looser limit of the player's own waits so long, and then for his word so long at most.
LOOSENING_WAITS = dt.timedelta(hours=24)
LOOSENING_LAPSES = dt.timedelta(days=7)

REALITY_CHECK_SECONDS = 60 * 60

# Self-exclusion lasts three months at least, and ends early one month after it was asked for (Decree-Law 66/2015,
# article 39).
SELF_EXCLUSION_MONTHS = 3
EARLY_END_MONTHS = 1

PAUSES = {"24 hours": dt.timedelta(hours=24), "7 days": dt.timedelta(days=7), "30 days": dt.timedelta(days=30)}
WITHOUT_END = "without end"
SELF_EXCLUSIONS = {"3 months": 3, "6 months": 6, "1 year": 12, "5 years": 60, WITHOUT_END: None}

# What "without end" is where an instant has to stand.
END_OF_TIME = dt.datetime(9999, 12, 31, tzinfo=dt.UTC)


@dataclass(frozen=True)
class PlayerCalendar:
    """The day of a player that an instant lies in, by his own calendar, and the first days of its week and month."""

    day: dt.date
    week: dt.date
    month: dt.date

    @classmethod
    def at(cls, instant: dt.datetime, zone: str) -> "PlayerCalendar":
        """The calendar of a player in `zone` at an aware `instant`; weeks begin on Monday.

        >>> PlayerCalendar.at(dt.datetime(2026, 6, 30, 23, 30, tzinfo=dt.UTC), "Europe/Lisbon").day
        datetime.date(2026, 7, 1)
        """
        day = instant.astimezone(ZoneInfo(zone)).date()
        return cls(day, day - dt.timedelta(days=day.weekday()), day.replace(day=1))

    def first_day_of(self, period: str) -> dt.date:
        """The first day of the day, week or month that the calendar stands at."""
        return {"day": self.day, "week": self.week, "month": self.month}[period]

    def start_of(self, period: str, zone: str) -> dt.datetime:
        """The first instant of the day, week or month, in UTC."""
        return _midnight(self.first_day_of(period), zone)

    def end_of(self, period: str, zone: str) -> dt.datetime:
        """The instant at which the day, week or month is over, in UTC."""
        month = self.month.replace(day=calendar.monthrange(self.month.year, self.month.month)[1])
        last = {"day": self.day, "week": self.week + dt.timedelta(days=6), "month": month}[period]
        return _midnight(last + dt.timedelta(days=1), zone)


def _midnight(day: dt.date, zone: str) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)


def is_looser(value: int | None, than: int | None) -> bool:
    """Whether a limit of `value` allows more than one of `than`; None is no limit.

    >>> is_looser(None, 5), is_looser(6, 5), is_looser(5, 5), is_looser(5, None)
    (True, True, False, False)
    """
    return than is not None and (value is None or value > than)


def strictest(values: Iterable[int | None]) -> int | None:
    """The limit that wins where several hold.

    >>> strictest([None, 500, 200]), strictest([None])
    (200, None)
    """
    return min((value for value in values if value is not None), default=None)


def add_months(instant: dt.datetime, months: int) -> dt.datetime:
    """The same day of a later month at the same time, or that month's last day where it has no such day.

    >>> add_months(dt.datetime(2026, 11, 30, tzinfo=dt.UTC), 3).date()
    datetime.date(2027, 2, 28)
    """
    index = instant.month - 1 + months
    year, month = instant.year + index // 12, index % 12 + 1
    return instant.replace(year=year, month=month, day=min(instant.day, calendar.monthrange(year, month)[1]))


def early_end_of_self_exclusion(*, starts_at: dt.datetime, asked_at: dt.datetime) -> dt.datetime:
    """When a self-exclusion ends that the player asks to end: a month later, and after three months at least."""
    return max(add_months(starts_at, SELF_EXCLUSION_MONTHS), add_months(asked_at, EARLY_END_MONTHS))


def earlier_end(*, starts_at: dt.datetime, ends_at: dt.datetime | None, asked_at: dt.datetime) -> dt.datetime | None:
    """When a self-exclusion would end if its player asked for it; None where that is no sooner than it ends anyway.

    >>> begun = dt.datetime(2026, 6, 15, tzinfo=dt.UTC)
    >>> earlier_end(starts_at=begun, ends_at=add_months(begun, 3), asked_at=begun) is None
    True
    >>> str(earlier_end(starts_at=begun, ends_at=None, asked_at=add_months(begun, 4)).date())
    '2026-11-15'
    """
    end = early_end_of_self_exclusion(starts_at=starts_at, asked_at=asked_at)
    return end if ends_at is None or end < ends_at else None
