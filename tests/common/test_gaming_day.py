"""The gaming day runs from 06:00 to 06:00 by the wall clock, also on the days of 23 and 25 hours."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roulette_site.common.gaming_day import GamingDayRule

LISBON = GamingDayRule(zone=ZoneInfo("Europe/Lisbon"), starts_at=dt.time(6, 0))


@pytest.mark.parametrize(
    ("day", "hours"),
    [(dt.date(2026, 3, 28), 23), (dt.date(2026, 10, 24), 25), (dt.date(2026, 3, 29), 24), (dt.date(2026, 11, 30), 24)],
)
def test_a_day_has_the_hours_that_the_wall_clock_gives_it(day: dt.date, hours: int) -> None:
    start, end = LISBON.bounds_of(day)
    assert end - start == dt.timedelta(hours=hours)


def test_a_second_before_six_still_belongs_to_the_day_before() -> None:
    start = LISBON.start_of(dt.date(2026, 11, 30))
    assert LISBON.day_of(start - dt.timedelta(seconds=1)) == dt.date(2026, 11, 29)
    assert LISBON.day_of(start) == dt.date(2026, 11, 30)


@given(
    st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2032, 12, 31), timezones=st.just(dt.UTC)),
    st.times(),
    st.sampled_from(["Europe/Lisbon", "Europe/Paris", "Atlantic/Azores", "Pacific/Apia", "America/St_Johns", "UTC"]),
)
def test_every_instant_lies_in_the_bounds_of_its_own_day(instant: dt.datetime, starts_at: dt.time, zone: str) -> None:
    rule = GamingDayRule(zone=ZoneInfo(zone), starts_at=starts_at)
    start, end = rule.bounds_of(rule.day_of(instant))
    assert start <= instant < end
