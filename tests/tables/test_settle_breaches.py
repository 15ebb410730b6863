"""`manage.py settle`: what a slip is refused for, every breach at once."""

import json
from typing import Any

import pytest

from .settling import QUOTE, ask, is_no_request, refused

NO_AMOUNTS: list[Any] = [
    1, 0, -1, 1.0, 1.5, 1e3, 10**30, True, False, None, [], {}, ["1.00"],
    "", " ", "0", "0.00", "-1", "-1.00", "+1.00", "1e3", "1E3", "1.", ".50", "1.5", "1.005", "1.000", "1,00",
    "1 000.00", "1_000", "0x10", "1.00 ", " 1.00", "1.00\n", "1.00€", "EUR 1.00", "NaN", "Infinity", "1/2",
    "\uff11.00", "\uff11", "\u0661\u0662", "1\uff0e00", "\u00b2", "\ud800", "1" + "0" * 30, "9" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("stake", NO_AMOUNTS, ids=lambda stake: json.dumps(stake)[:24])
def test_a_stake_is_text_with_digits_and_nothing_else(stake: Any) -> None:
    assert refused(ask(bets=[{"type": "red", "stake": stake}])) == [(0, "invalid_stake")]
    assert refused(ask(bets=[{"call": "tiers", "unit": stake}])) == [(0, "invalid_stake")]


@pytest.mark.parametrize("key", ["minimum", "chip_value", "total_limit", "stake_step"])
@pytest.mark.parametrize("amount", [1, 1.5, True, "-1.00", "0.00", "1e3", "\uff11.00", "1.005"], ids=json.dumps)
def test_an_amount_that_is_no_stake_is_text_too(key: str, amount: Any) -> None:
    options = {key: amount} if key in ("total_limit", "stake_step") else {}
    asked = {} if options else {"minimum": "1.00", key: amount}
    assert is_no_request(ask(rulebook="fr-anglaise", options=options, **asked))


def test_a_bet_without_a_stake_has_an_invalid_one() -> None:
    assert refused(ask(bets=[{"type": "red"}])) == [(0, "invalid_stake")]
    assert refused(ask(bets=[{"call": "tiers"}])) == [(0, "invalid_stake")]


def test_all_breaches_come_at_once_bet_by_bet_and_the_slip_last() -> None:
    answer = ask(
        minimum="1.00",
        options={"split_dozens_offered": False, "stake_step": "0.50", "total_limit": "20.00"},
        numbers=[37],
        bets=[
            {"type": "straight", "on": [17], "stake": "40.00"},
            {"type": "red", "stake": "1.00"},
            {"type": "split", "on": [1, 36], "stake": 5},
            {"type": "split_dozen", "on": [1, 2], "stake": "0.75"},
            {"call": "neighbours", "number": 37, "neighbours": 2, "unit": "1.00"},
            {"call": "neighbours", "number": "0", "neighbours": 2.0, "unit": "0"},
            {"call": "final", "digit": 10, "unit": "1.00"},
            {"call": "salmon", "unit": "1.00"},
            {"type": "straight", "on": [17], "stake": "0.20"},
        ],
    )
    assert refused(answer) == [
        (0, "above_maximum"),
        (2, "invalid_spot"),
        (2, "invalid_stake"),
        (3, "not_offered"),
        (3, "below_minimum"),
        (3, "off_step"),
        (4, "invalid_number"),
        (5, "invalid_number"),
        (5, "invalid_neighbours"),
        (5, "invalid_stake"),
        (6, "invalid_digit"),
        (7, "not_offered"),
        (8, "below_minimum"),
        (8, "off_step"),
        (8, "above_maximum"),
        (None, "above_total_limit"),
        (None, "invalid_number"),
    ]


@pytest.mark.article("pt:12a-i")
def test_a_breach_names_the_spots_minimum_and_maximum() -> None:
    breaches = ask(minimum="2.00", bets=[{"type": "straight", "on": [0], "stake": "1.00"}])["breaches"]
    assert breaches == [{"bet": 0, "reason": "below_minimum", "minimum": "2.00", "maximum": "60.00"}]


def test_parts_of_a_call_bet_that_break_one_rule_are_named_once() -> None:
    answer = ask(minimum="1.00", bets=[{"type": "red", "stake": "1.00"}, {"call": "tiers", "unit": "0.50"}])
    assert refused(answer) == [(1, "below_minimum")]


def test_without_a_minimum_no_limit_is_checked() -> None:
    answer = ask(bets=[{"type": "straight", "on": [17], "stake": "100000.00"}])
    assert answer["accepted"] is True
    assert "maximum" not in answer["bets"][0]


@pytest.mark.parametrize(
    "numbers", [[], [37], [-1], [17.0], ["17"], [True], [None], [[17]], [17, 37], [10**30], ["00"]]
)
def test_a_winning_number_is_on_the_wheel(numbers: list[Any]) -> None:
    assert refused(ask(numbers=numbers)) == [(None, "invalid_number")]


@pytest.mark.parametrize("on", [[37], [-1], ["17"], [17.0], [True], [17, 17], "17", {}, [10**30], [[17]], ["00"]])
def test_a_spot_is_on_the_cloth(on: Any) -> None:
    assert refused(ask(bets=[{"on": on, "stake": "1.00"}])) == [(0, "invalid_spot")]


def test_a_bet_has_no_other_parts() -> None:
    assert refused(ask(bets=[{"type": "red", "stake": "1.00", "odds": 2}])) == [(0, "invalid_spot")]
    assert refused(ask(bets=[{"call": "tiers", "unit": "1.00", "stake": "1.00"}])) == [(0, "invalid_spot")]


@pytest.mark.article("pt:13")
@pytest.mark.parametrize(
    ("options", "breaches"),
    [
        ({}, []),
        ({"split_dozens_offered": False}, [0]),
        ({"split_columns_offered": False}, [1]),
        ({"split_bets_offered": False}, [0, 1]),
        ({"split_bets_offered": False, "split_dozens_offered": True}, [1]),
        ({"split_bets_offered": True, "split_columns_offered": False}, [1]),
    ],
)
def test_split_dozens_and_columns_can_be_refused(options: dict[str, bool], breaches: list[int]) -> None:
    bets = [
        {"type": "split_dozen", "on": [1, 2], "stake": "1.00"},
        {"type": "split_column", "on": [2, 3], "stake": "1"},
    ]
    answer = ask(bets=bets, options=options)
    assert [(one, "not_offered") for one in breaches] == (refused(answer) if breaches else [])
    assert answer["accepted"] is not bool(breaches)


@pytest.mark.article("pt:13")
def test_the_total_limit_may_be_reached_and_not_passed() -> None:
    assert ask(options={"total_limit": "1.00"})["accepted"] is True
    answer = ask(options={"total_limit": "0.99"})
    assert answer["breaches"] == [{"bet": None, "reason": "above_total_limit", "maximum": "0.99"}]


def test_stakes_move_in_the_step_which_is_a_cent_by_default() -> None:
    bets = [{"type": "red", "stake": "0.01"}, {"type": "black", "stake": "0.10"}]
    assert ask(bets=bets)["accepted"] is True
    assert refused(ask(bets=bets, options={"stake_step": "0.10"})) == [(0, "off_step")]


@pytest.mark.article("pt:8")
def test_call_bets_are_those_that_the_rules_list() -> None:
    bets = [{"call": "voisins", "unit": "1.00"}, {"call": "tiers", "unit": "1.00"}]
    assert ask(bets=bets)["accepted"] is True
    assert refused(ask(bets=bets, options={"call_bets": ["tiers"]})) == [(0, "not_offered")]
    assert refused(ask(bets=bets, options={"call_bets": []})) == [(0, "not_offered"), (1, "not_offered")]


@pytest.mark.parametrize("rulebook", ["fr-francaise", "fr-anglaise"])
def test_an_option_cannot_add_call_bets_that_the_rulebook_has_not(rulebook: str) -> None:
    answer = ask(rulebook=rulebook, bets=[{"call": "voisins", "unit": "1.00"}], options={"call_bets": ["voisins"]})
    assert refused(answer) == [(0, "not_offered")]


@pytest.mark.article("fr-anglaise:43")
@pytest.mark.parametrize(("value", "accepted"), [("4.99", False), ("5.00", True), ("100.00", True), ("100.01", False)])
def test_a_colours_value_lies_between_the_minimum_and_the_maximum_on_a_straight(value: str, accepted: bool) -> None:
    answer = ask(rulebook="fr-anglaise", bets=[], minimum="5.00", chip_value=value)
    assert answer["accepted"] is accepted
    if not accepted:
        breach = {"bet": None, "reason": "chip_value_out_of_range", "minimum": "5.00", "maximum": "100.00"}
        assert answer["breaches"] == [breach]


def test_a_chip_value_needs_the_minimum_and_a_rulebook_with_colours() -> None:
    assert is_no_request(ask(rulebook="fr-anglaise", chip_value="5.00"))
    assert refused(ask(minimum="1.00", chip_value="1.00")) == [(None, "not_offered")]


@pytest.mark.article("pt:12a-i", "pt:13")
def test_what_is_placed_already_counts_towards_limits_and_nothing_else() -> None:
    placed = [{"type": "straight", "on": [17], "stake": "29.00"}]
    asked = {"minimum": "1.00", "placed": placed}
    one = {"type": "straight", "on": [17], "stake": "1.00"}
    answer = ask(**asked, bets=[one], numbers=[17])
    assert (answer["staked"], answer["returned"], len(answer["bets"])) == ("1.00", "36.00", 1)
    assert refused(ask(**asked, bets=[one | {"stake": "1.01"}])) == [(0, "above_maximum")]
    limited = {"options": {"total_limit": "30.00"}}
    assert ask(**asked, **limited, bets=[one])["accepted"] is True
    assert refused(ask(**asked, **limited, bets=[one, QUOTE["bets"][0]])) == [(None, "above_total_limit")]


def test_what_is_placed_already_is_not_judged_itself() -> None:
    # It was accepted when it was placed: a minimum or an offer that changed since does not touch it.
    placed = [{"type": "split_dozen", "on": [1, 2], "stake": "0.33"}]
    options = {"split_bets_offered": False, "stake_step": "0.10"}
    assert ask(minimum="1.00", placed=placed, options=options)["accepted"] is True


def test_what_is_placed_may_hold_call_bets_and_must_be_bets() -> None:
    one = {"on": [5, 8], "stake": "1.00"}
    asked = {"minimum": "1.00", "placed": [{"call": "tiers", "unit": "59.00"}]}
    assert ask(**asked, bets=[one])["accepted"] is True
    assert refused(ask(**asked, bets=[one | {"stake": "2.00"}])) == [(0, "above_maximum")]
    assert is_no_request(ask(placed=[{"type": "red", "stake": 1}]))


def test_an_empty_slip_is_refused_unless_a_colours_value_is_asked_for() -> None:
    for request in ({}, {"numbers": [0]}, {"minimum": "1.00", "options": {"total_limit": "5.00"}}):
        assert ask(bets=[], **request) == {"accepted": False, "breaches": [{"bet": None, "reason": "empty_slip"}]}
    asked = {"rulebook": "fr-anglaise", "bets": [], "minimum": "1.00"}
    assert ask(**asked, chip_value="5.00") == {"accepted": True, "staked": "0.00", "bets": []}


@pytest.mark.parametrize(
    ("item", "reasons"),
    [
        ({"type": "split_dozen", "on": [1, 2], "stake": "1e3"}, ["invalid_stake", "not_offered"]),
        ({"type": "straight", "on": [99], "stake": "0.07"}, ["invalid_spot", "below_minimum", "off_step"]),
        ({"type": "straight", "on": [99], "stake": "-1"}, ["invalid_spot", "invalid_stake"]),
        ({"call": "tiers", "unit": "-1"}, ["not_offered", "invalid_stake"]),
        ({"call": "tiers", "unit": "0.07"}, ["not_offered", "below_minimum", "off_step"]),
        ({"call": "final", "digit": 10, "unit": "0.07"}, ["invalid_digit", "below_minimum", "off_step"]),
        ({"type": "split_dozen", "on": [1, 2], "stake": "0.07"}, ["not_offered", "below_minimum", "off_step"]),
        ("no bet", ["invalid_spot", "invalid_stake"]),
    ],
)
def test_what_can_be_read_of_a_bad_bet_is_checked_too(item: Any, reasons: list[str]) -> None:
    options = {"split_dozens_offered": False, "call_bets": ["final"], "stake_step": "0.10"}
    good = {"type": "red", "stake": "1.00"}
    breaches = ask(bets=[good, item, good], minimum="0.50", options=options)["breaches"]
    assert [(breach["bet"], breach["reason"]) for breach in breaches] == [(1, reason) for reason in reasons]
