"""The gaming day: from the operator's start time to the same time of the next day, by the wall clock of his zone.

A day on which the clocks change has 23 or 25 hours. Pure: it knows no database and no current time.
"""

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class GamingDayRule:
    """Where (`zone`) and when (`starts_at`, wall clock) an operator's gaming days begin."""

    zone: ZoneInfo
    starts_at: dt.time

    def day_of(self, instant: dt.datetime) -> dt.date:
        """The gaming day that an aware `instant` belongs to; an instant before the start belongs to the day before."""
        local = instant.astimezone(self.zone)
        day = local.date()
        # Compared as instants, not wall clocks: in the hour that occurs twice the wall clock goes back.
        return day if instant >= self.start_of(day) else day - dt.timedelta(days=1)

    def start_of(self, day: dt.date) -> dt.datetime:
        """The first instant of the gaming day `day`, in UTC."""
        # Where the start time is skipped by the change of clocks, fold=0 reads it with the offset before the change:
        # the same instant as the first one after the gap plus the part of the gap that was skipped.
        return dt.datetime.combine(day, self.starts_at, tzinfo=self.zone).astimezone(dt.UTC)

    def bounds_of(self, day: dt.date) -> tuple[dt.datetime, dt.datetime]:
        """The first instant of `day` and the first of the next, in UTC: a half-open interval."""
        return self.start_of(day), self.start_of(day + dt.timedelta(days=1))
