"""The rules that protect players, without a database."""

import datetime as dt
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallets import protection
from wallets.protection import PlayerCalendar, add_months, early_end_of_self_exclusion, is_looser, strictest

UTC = dt.UTC
values = st.none() | st.integers(0, 1000)


def test_the_examples_in_the_text_are_true() -> None:
    found = doctest.testmod(protection)
    assert found.failed == 0
    assert found.attempted > 0


@pytest.mark.parametrize(
    ("instant", "zone", "day", "week", "month"),
    [
        # Midnight in Lisbon is an hour before that of UTC in summer, and the same in winter.
        (dt.datetime(2026, 7, 31, 22, 59, 59, tzinfo=UTC), "Europe/Lisbon", "2026-07-31", "2026-07-27", "2026-07-01"),
        (dt.datetime(2026, 7, 31, 23, 0, tzinfo=UTC), "Europe/Lisbon", "2026-08-01", "2026-07-27", "2026-08-01"),
        (dt.datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), "Europe/Lisbon", "2026-11-30", "2026-11-30", "2026-11-01"),
        (dt.datetime(2026, 11, 30, 23, 0, tzinfo=UTC), "Europe/Paris", "2026-12-01", "2026-11-30", "2026-12-01"),
        (dt.datetime(2027, 1, 1, 0, 30, tzinfo=UTC), "Atlantic/Azores", "2026-12-31", "2026-12-28", "2026-12-01"),
    ],
)
def test_a_day_a_week_and_a_month_are_those_of_the_players_calendar(
    instant: dt.datetime, zone: str, day: str, week: str, month: str
) -> None:
    found = PlayerCalendar.at(instant, zone)
    assert [one.isoformat() for one in (found.day, found.week, found.month)] == [day, week, month]


def test_a_day_is_over_at_the_next_midnight_also_when_the_clocks_change() -> None:
    # The last Sunday of March 2026 has 23 hours in Lisbon, that of October 25.
    spring = PlayerCalendar.at(dt.datetime(2026, 3, 29, 12, tzinfo=UTC), "Europe/Lisbon")
    assert spring.end_of("day", "Europe/Lisbon") == dt.datetime(2026, 3, 29, 23, tzinfo=UTC)
    autumn = PlayerCalendar.at(dt.datetime(2026, 10, 25, 12, tzinfo=UTC), "Europe/Lisbon")
    assert autumn.end_of("day", "Europe/Lisbon") == dt.datetime(2026, 10, 26, 0, tzinfo=UTC)
    assert autumn.end_of("month", "Europe/Lisbon") == dt.datetime(2026, 11, 1, 0, tzinfo=UTC)


@given(values, values)
def test_of_two_limits_one_is_looser_unless_they_are_the_same(one: int | None, other: int | None) -> None:
    assert [is_looser(one, other), is_looser(other, one)].count(True) == (one != other)
    assert not is_looser(strictest([one, other]), one)


@given(st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2090, 1, 1)), st.integers(0, 120))
def test_months_later_is_the_same_day_or_the_last_of_its_month(start: dt.datetime, months: int) -> None:
    later = add_months(start.replace(tzinfo=UTC), months)
    assert (later.year * 12 + later.month) - (start.year * 12 + start.month) == months
    assert later.day == start.day or (later.day < start.day and (later + dt.timedelta(days=1)).day == 1)


def test_an_early_end_comes_a_month_after_the_wish_and_not_before_three_months() -> None:
    start = dt.datetime(2026, 6, 15, 12, tzinfo=UTC)
    assert early_end_of_self_exclusion(starts_at=start, asked_at=start) == dt.datetime(2026, 9, 15, 12, tzinfo=UTC)
    late = dt.datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert early_end_of_self_exclusion(starts_at=start, asked_at=late) == dt.datetime(2026, 12, 30, 12, tzinfo=UTC)
