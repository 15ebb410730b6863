"""What specific rules must be to be approved, and a table to be set up: each gate, named by the rule that it keeps."""

import datetime as dt
from typing import Any

import pytest

from tables.models import NumberSource, RulesStatus, SpecificRules, Table, TableKind
from tables.roulette.cloth import SPOTS
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import all_rulebooks, find_rulebook
from tables.services.rules import CallBetsNotInRulebook, ReturnTooHigh, RulesDecided, approve_rules, check_returns
from tables.services.tables import (
    MinimumOffStep,
    RulesNotInForce,
    SourceNotLawful,
    ZeroChoiceNotOffered,
    set_up_table,
)  # fmt: skip
from tests.house import NOON, make_house
from wallets.models import Account, Unit

pytestmark = pytest.mark.django_db


def draft(rulebook: str = "pt-online", **options: Any) -> SpecificRules:
    known = find_rulebook(rulebook)
    return SpecificRules.objects.create(
        rulebook_code=rulebook, rulebook_edition=known.edition, version=9, created_at=NOON, **options
    )


def approve(rules: SpecificRules) -> SpecificRules:
    return approve_rules(rules=rules, reference="R-9", in_force_from=NOON, at=NOON)


def set_up(rules: SpecificRules, **changed: Any) -> Table:
    given = {
        "slug": "t", "name": "T", "kind": TableKind.INDIVIDUAL, "unit": Unit.EUR, "number_source": NumberSource.DRAWN,
        "minimum_cents": 50, "at": NOON,
    }  # fmt: skip
    return set_up_table(rules=rules, **{**given, **changed})


@pytest.mark.parametrize("rulebook", all_rulebooks(), ids=lambda rulebook: rulebook.code)
def test_no_stake_step_is_approved_under_which_a_stake_returns_more_than_it_cost(rulebook: Rulebook) -> None:
    for step in (1, 3):
        with pytest.raises(ReturnTooHigh) as refused:
            check_returns(rulebook, step)
        assert refused.value.details["stake_cents"] % step == 0
    with pytest.raises(ReturnTooHigh) as one_cent:
        check_returns(rulebook, 1)
    # One cent on a split dozen: 24 numbers of 37 would give back 2 for 1.
    assert (one_cent.value.details["stake_cents"], SPOTS[one_cent.value.details["spot"]].type) == (1, "split_dozen")
    for step in (2, 10, 50):
        check_returns(rulebook, step)


@pytest.mark.parametrize(("step", "refusal"), [(1, ReturnTooHigh), (3, ReturnTooHigh), (2, None), (10, None)])
def test_a_version_is_approved_with_a_step_that_gives_no_edge(step: int, refusal: type[Exception] | None) -> None:
    rules = draft(stake_step_cents=step)
    if refusal is None:
        assert approve(rules).status == RulesStatus.APPROVED
        return
    with pytest.raises(refusal):
        approve(rules)
    rules.refresh_from_db()
    assert (rules.status, rules.approval_reference) == (RulesStatus.DRAFT, "")


@pytest.mark.article("pt:8", "fr-francaise:24", "fr-anglaise:27")
@pytest.mark.parametrize(
    ("rulebook", "call_bets"),
    [("pt-online", ["voisins", "jeu_zero"]), ("fr-francaise", ["voisins"]), ("fr-anglaise", ["final"])],
)
def test_a_version_offers_no_call_bet_that_its_rulebook_does_not_know(rulebook: str, call_bets: list[str]) -> None:
    with pytest.raises(CallBetsNotInRulebook):
        approve(draft(rulebook, call_bets=call_bets))


@pytest.mark.article("pt:p3")
@pytest.mark.parametrize("status", [RulesStatus.APPROVED, RulesStatus.REFUSED, RulesStatus.RETIRED])
def test_a_version_is_answered_once(status: RulesStatus) -> None:
    rules = draft()
    rules.status = status
    with pytest.raises(RulesDecided):
        approve(rules)


@pytest.mark.article("pt:p3")
@pytest.mark.parametrize("status", [RulesStatus.DRAFT, RulesStatus.SUBMITTED, RulesStatus.REFUSED, RulesStatus.RETIRED])
def test_no_table_is_set_up_under_rules_that_are_not_in_force(status: RulesStatus) -> None:
    rules = draft()
    rules.status = status
    with pytest.raises(RulesNotInForce):
        set_up(rules)
    assert not Table.objects.exists()
    assert not Account.objects.exists()


@pytest.mark.article("pt:p3")
def test_no_table_is_set_up_before_its_rules_come_into_force() -> None:
    begins = NOON + dt.timedelta(days=365)
    rules = approve_rules(rules=draft(), reference="R-9", in_force_from=begins, at=NOON)
    with pytest.raises(RulesNotInForce):
        set_up(rules, at=begins - dt.timedelta(microseconds=1))
    assert not Table.objects.exists()
    assert set_up(rules, at=begins).rules == rules


def test_the_minimum_is_a_stake_that_can_be_placed() -> None:
    rules = approve(draft(stake_step_cents=20))
    with pytest.raises(MinimumOffStep):
        set_up(rules, minimum_cents=50)
    assert set_up(rules, minimum_cents=60).minimum_cents == 60


@pytest.mark.article("pt:2")
@pytest.mark.parametrize(
    ("rulebook", "source"), [("pt-online", NumberSource.DEALT), ("fr-anglaise", NumberSource.DRAWN)]
)
def test_money_is_played_for_only_where_the_number_lawfully_comes_from(rulebook: str, source: NumberSource) -> None:
    rules = approve(draft(rulebook))
    with pytest.raises(SourceNotLawful):
        set_up(rules, number_source=source)
    assert set_up(rules, number_source=source, unit=Unit.DEMO).unit == Unit.DEMO


def test_a_choice_at_zero_is_not_offered_at_tables_yet() -> None:
    with pytest.raises(ZeroChoiceNotOffered):
        set_up(approve(draft("fr-francaise")), unit=Unit.DEMO)


def test_a_deadline_lies_after_the_bet_that_sets_it() -> None:
    house = make_house()
    assert house.table.rules.launch_within_seconds > 0
    player = house.seated()
    placed_at = house.now
    player.place({"type": "red", "stake": "1.00"})
    closes_at = player.game_round.closes_at
    assert closes_at is not None
    assert closes_at - placed_at >= dt.timedelta(seconds=house.table.rules.launch_within_seconds)
