"""Rounds and specific rules go one way: what the database itself refuses, whoever asks it."""

import datetime as dt
from itertools import product
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from roulette_site.common import guards
from tables.guards import ROUND_STEPS, RULES_STEPS
from tables.models import GameRound, RoundDraw, RoundState, RulesStatus, SpecificRules
from tests.house import NOON, PlayerAtTable, bet, make_house

pytestmark = pytest.mark.django_db
WITH_NUMBER = (RoundState.DRAWN, RoundState.SETTLED)


@pytest.fixture
def maria() -> PlayerAtTable:
    player = make_house().seated()
    player.place(bet("red"))
    return player


def put(model: Any, pk: int, **values: Any) -> None:
    """Bring a row into a state, with the guards out of the way."""
    guards.uninstall(connection)
    model.objects.filter(pk=pk).update(**values)
    guards.install(connection)


def is_refused(model: Any, pk: int, **values: Any) -> bool:
    before = model.objects.filter(pk=pk).values().get()
    try:
        with transaction.atomic():
            model.objects.filter(pk=pk).update(**values)
            transaction.set_rollback(True)
    except IntegrityError as error:
        return "there is no way back" in str(error) and model.objects.filter(pk=pk).values().get() == before
    return False


def test_the_steps_are_those_of_a_round() -> None:
    after = {old: {new for state, new in ROUND_STEPS if state == old} for old in RoundState}
    assert after == {
        "betting": {"closed", "unused", "void"},
        "closed": {"drawn", "void"},
        "drawn": {"settled"},
        "settled": set(),
        "void": set(),
        "unused": set(),
    }


@pytest.mark.parametrize("old", RoundState)
def test_a_round_never_goes_back_or_past_a_step(maria: PlayerAtTable, old: RoundState) -> None:
    pk = maria.game_round.pk
    put(GameRound, pk, state=old, winning_number=17 if old in WITH_NUMBER else None)
    for new in set(RoundState) - {old}:
        # The number comes with the step that needs one; else a CHECK would refuse before.
        number = {"winning_number": 17} if new in WITH_NUMBER and old not in WITH_NUMBER else {}
        assert is_refused(GameRound, pk, state=new, **number) is ((old, new) not in ROUND_STEPS), new
    assert not is_refused(GameRound, pk, state=old)


@pytest.mark.parametrize("state", RoundState)
def test_deadline_and_the_players_own_text_stand_from_closing_on(maria: PlayerAtTable, state: RoundState) -> None:
    pk = maria.game_round.pk
    put(GameRound, pk, state=state, winning_number=17 if state in WITH_NUMBER else None)
    for change in ({"client_seed": "another"}, {"closes_at": NOON}, {"closes_at": None}):
        assert is_refused(GameRound, pk, **change) is (state != RoundState.BETTING)


@pytest.mark.article("pt:18")
@pytest.mark.parametrize("state", RoundState)
def test_no_seed_is_shown_before_the_number_stands(maria: PlayerAtTable, state: RoundState) -> None:
    pk = maria.game_round.pk
    put(GameRound, pk, state=state, winning_number=17 if state in WITH_NUMBER else None)
    too_early = state in (RoundState.BETTING, RoundState.CLOSED)
    if not too_early:
        RoundDraw.objects.create(game_round_id=pk, seed_hex="00" * 32, revealed_at=NOON)
        return
    with pytest.raises(IntegrityError, match="the seed is shown after the number"), transaction.atomic():
        RoundDraw.objects.create(game_round_id=pk, seed_hex="00" * 32, revealed_at=NOON)
    assert not RoundDraw.objects.exists()


@pytest.mark.parametrize(("old", "new"), [pair for pair in product(RulesStatus, RulesStatus) if pair[0] != pair[1]])
def test_a_version_of_the_rules_never_goes_back(maria: PlayerAtTable, old: RulesStatus, new: RulesStatus) -> None:
    pk = maria.house.table.rules_id
    put(SpecificRules, pk, status=old)
    assert is_refused(SpecificRules, pk, status=new) is ((old, new) not in RULES_STEPS)


@pytest.mark.parametrize("status", RulesStatus)
def test_what_was_put_to_the_regulator_is_never_changed(maria: PlayerAtTable, status: RulesStatus) -> None:
    pk = maria.house.table.rules_id
    put(SpecificRules, pk, status=status)
    for change in (
        {"stake_step_cents": 2}, {"call_bets": []}, {"total_limit_cents": 1}, {"launch_within_seconds": 1},
        {"split_dozens_offered": False}, {"split_columns_offered": False},
    ):  # fmt: skip
        assert is_refused(SpecificRules, pk, **change) is (status != RulesStatus.DRAFT)
    decided = status not in (RulesStatus.DRAFT, RulesStatus.SUBMITTED)
    later = NOON + dt.timedelta(days=1)
    for change in ({"approval_reference": "X"}, {"approved_at": later}, {"in_force_from": later}):
        assert is_refused(SpecificRules, pk, **change) is decided
