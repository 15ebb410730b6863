"""Exclusion: at once, never shorter than it was chosen, and nobody else's to end."""

import datetime as dt
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from roulette_site.common.reasons import ReasonNotUsable
from tests.house import NOON, House, make_house
from wallets.models import Account, Exclusion, ExclusionEnd, Player
from wallets.protection import END_OF_TIME, WITHOUT_END
from wallets.services.exclusion import (
    NoEarlyEnd,
    TwoPeopleNeeded,
    UnknownTerm,
    ask_for_early_end,
    exclude_player,
    exclude_self,
    lift_exclusion,
)

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
UTC = dt.UTC


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player()


def excluded_until(player: Player) -> dt.datetime | None:
    return Account.objects.get(player=player).excluded_until


@pytest.mark.parametrize(
    ("term", "kind", "end"),
    [
        ("24 hours", "pause", NOON + DAY),
        ("7 days", "pause", NOON + 7 * DAY),
        ("30 days", "pause", NOON + 30 * DAY),
        ("3 months", "self", dt.datetime(2026, 9, 15, 12, tzinfo=UTC)),
        ("1 year", "self", dt.datetime(2027, 6, 15, 12, tzinfo=UTC)),
        (WITHOUT_END, "self", END_OF_TIME),
    ],
)
def test_a_player_excludes_himself_at_once_for_one_of_the_terms(
    maria: Player, term: str, kind: str, end: dt.datetime
) -> None:
    excluded = exclude_self(player=maria, term=term, at=NOON)
    assert (excluded.kind, excluded.term, excluded.starts_at) == (kind, term, NOON)
    assert excluded_until(maria) == end


@pytest.mark.parametrize("term", ["", "1 month", "2 months", "forever", "24 HOURS"])
def test_there_are_no_other_terms(maria: Player, term: str) -> None:
    with pytest.raises(UnknownTerm):
        exclude_self(player=maria, term=term, at=NOON)
    assert excluded_until(maria) is None


def test_the_longest_exclusion_holds(maria: Player) -> None:
    exclude_self(player=maria, term="1 year", at=NOON)
    exclude_self(player=maria, term="24 hours", at=NOON + DAY)
    assert excluded_until(maria) == dt.datetime(2027, 6, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize("term", ["1 year", WITHOUT_END])
def test_an_early_end_comes_a_month_after_it_was_asked_for_and_not_before_three_months(
    maria: Player, term: str
) -> None:
    exclude_self(player=maria, term=term, at=NOON)
    (end,) = ask_for_early_end(player=maria, at=NOON + DAY)
    assert end.ends_at == excluded_until(maria) == dt.datetime(2026, 9, 15, 12, tzinfo=UTC)
    with pytest.raises(NoEarlyEnd):
        ask_for_early_end(player=maria, at=NOON + 2 * DAY)


def test_asked_for_late_it_ends_a_month_later(maria: Player) -> None:
    exclude_self(player=maria, term=WITHOUT_END, at=NOON)
    asked_at = dt.datetime(2027, 1, 31, 12, tzinfo=UTC)
    ask_for_early_end(player=maria, at=asked_at)
    assert excluded_until(maria) == dt.datetime(2027, 2, 28, 12, tzinfo=UTC)


@pytest.mark.parametrize("term", ["30 days", "3 months"])
def test_what_is_as_short_as_it_can_be_ends_no_earlier(maria: Player, term: str) -> None:
    exclude_self(player=maria, term=term, at=NOON)
    with pytest.raises(NoEarlyEnd):
        ask_for_early_end(player=maria, at=NOON + DAY)


def test_nobody_lifts_what_the_player_chose(maria: Player) -> None:
    for term in ("7 days", "1 year"):
        chosen = exclude_self(player=maria, term=term, at=NOON)
        with pytest.raises(NoEarlyEnd):
            lift_exclusion(
                exclusion_id=chosen.pk,
                reason="she asked",
                actor="staff:900001",
                second_actor="staff:900002",
                at=NOON + DAY,
            )
    assert not ExclusionEnd.objects.exists()


def test_two_people_lift_what_the_operator_decided(maria: Player) -> None:
    decided = exclude_player(player=maria, ends_at=None, reason="a report", actor="staff:900001", at=NOON)
    assert excluded_until(maria) == END_OF_TIME
    lift: dict[str, Any] = {"exclusion_id": decided.pk, "actor": "staff:900001", "at": NOON + DAY}
    for second_actor in ("", "staff:900001"):
        with pytest.raises(TwoPeopleNeeded):
            lift_exclusion(**lift, reason="a mistake", second_actor=second_actor)
    with pytest.raises(ReasonNotUsable):
        lift_exclusion(**lift, reason="", second_actor="staff:900002")
    lift_exclusion(**lift, reason="a mistake", second_actor="staff:900002")
    assert excluded_until(maria) == NOON + DAY
    with pytest.raises(NoEarlyEnd):
        lift_exclusion(**lift, reason="again", second_actor="staff:900002")
    with pytest.raises(NoEarlyEnd):
        ask_for_early_end(player=maria, at=NOON + DAY)


def test_the_operator_says_why_and_until_when(maria: Player) -> None:
    decide: dict[str, Any] = {"player": maria, "actor": "staff:900001", "at": NOON}
    with pytest.raises(ReasonNotUsable):
        exclude_player(**decide, ends_at=None, reason="\u202e")
    with pytest.raises(UnknownTerm):
        exclude_player(**decide, ends_at=NOON, reason="a report")
    assert not Exclusion.objects.exists()


def test_the_database_refuses_what_would_end_an_exclusion_sooner(maria: Player) -> None:
    own = exclude_self(player=maria, term="1 year", at=NOON)
    pause = exclude_self(player=maria, term="24 hours", at=NOON)
    theirs = exclude_player(player=maria, ends_at=None, reason="a report", actor="staff:900001", at=NOON)
    late = NOON + 200 * DAY
    me = f"player:{maria.pk}"
    for of, changes in (
        (own, {"actor": "staff:900001"}),
        (own, {"ends_at": late + 27 * DAY}),
        (own, {"asked_at": NOON, "ends_at": NOON + 80 * DAY}),
        (own, {"ends_at": late - DAY}),
        (pause, {}),
        (theirs, {"actor": "staff:900001"}),
        (theirs, {"actor": "staff:900001", "second_actor": "staff:900001"}),
    ):
        values: dict[str, Any] = {"asked_at": late, "ends_at": late + 31 * DAY, "actor": me, **changes}
        with pytest.raises(DatabaseError), transaction.atomic():
            ExclusionEnd.objects.create(exclusion=of, **values)
    with pytest.raises(DatabaseError), transaction.atomic():
        Exclusion.objects.create(
            player=maria, kind="self", starts_at=NOON, ends_at=NOON + DAY, term="1 day", actor="staff:900001"
        )
    ExclusionEnd.objects.create(exclusion=own, asked_at=late, ends_at=late + 31 * DAY, actor=me)
    ExclusionEnd.objects.create(
        exclusion=theirs, asked_at=late, ends_at=late, actor="staff:900001", second_actor="staff:900002"
    )
