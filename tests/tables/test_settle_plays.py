"""`manage.py settle`: what it makes of bets and numbers."""

from typing import Any

import pytest

from tests.answers import walk

from .settling import QUOTE, ask


@pytest.mark.parametrize(("stake", "written"), [("1", "1.00"), ("007.50", "7.50"), ("0.01", "0.01")])
def test_whole_amounts_may_leave_out_the_cents(stake: str, written: str) -> None:
    assert ask(bets=[{"type": "red", "stake": stake}])["staked"] == written


def test_large_amounts_stay_exact() -> None:
    answer = ask(bets=[{"type": "straight", "on": [17], "stake": "999999999999999.99"}], numbers=[17])
    assert answer["returned"] == "35999999999999999.64"
    assert answer["net"] == "34999999999999999.65"


def test_a_quote_shows_the_bets_on_the_cloth_and_their_maxima() -> None:
    answer = ask(minimum="1.00", bets=[{"on": [4, 1], "stake": "2.00"}, {"type": "dozen", "on": 1, "stake": "3"}])
    assert answer == {
        "accepted": True,
        "staked": "5.00",
        "bets": [
            {"type": "split", "on": [1, 4], "stake": "2.00", "numbers": [1, 4], "maximum": "60.00"},
            {"type": "dozen", "on": 1, "stake": "3.00", "numbers": list(range(1, 13)), "maximum": "360.00"},
        ],
    }


@pytest.mark.article("pt:8d-ii")
def test_a_call_bet_stands_as_its_parts_neighbours_clockwise() -> None:
    answer = ask(bets=[{"call": "neighbours", "number": 0, "neighbours": 4, "unit": "1.00"}])
    assert [bet["on"] for bet in answer["bets"]] == [[3], [26], [0], [32], [15]]
    assert answer["staked"] == "5.00"


def test_a_play_says_what_became_of_each_bet() -> None:
    answer = ask(bets=[{"type": "straight", "on": [17], "stake": "1.00"}, QUOTE["bets"][0]], numbers=[17])
    assert answer["steps"] == [
        {
            "number": 17,
            "bets": [
                {"bet": 0, "result": "won", "prize": "35.00", "returned": "36.00"},
                {"bet": 1, "result": "lost", "prize": "0.00", "returned": "0.00"},
            ],
            "returned": "36.00",
        }
    ]
    assert (answer["returned"], answer["net"]) == ("36.00", "34.00")
    assert ask(numbers=[0])["net"] == "-1.00"


def results(answer: dict[str, Any]) -> list[list[tuple[int, str, str]]]:
    return [[(one["bet"], one["result"], one["returned"]) for one in step["bets"]] for step in answer["steps"]]


TWO = [{"type": "red", "stake": "10.01"}, {"type": "odd", "stake": "4.00"}]


@pytest.mark.article(
    "fr-francaise:36",
    "fr-francaise:37",
    "fr-francaise:38",
    "fr-francaise:39",
    "fr-francaise:40",
    "fr-francaise:41",
    "fr-francaise:42",
)
@pytest.mark.parametrize(
    ("numbers", "choices", "last", "expected"),
    [
        # No choice: it waits at the last number, and is taken back where another follows.
        ([0], [], False, [[(0, "waiting", "0.00"), (1, "waiting", "0.00")]]),
        ([0, 1], [], False, [[(0, "withdrawn", "5.01"), (1, "withdrawn", "2.00")], []]),
        # One choice for all bets, or one for each.
        ([0], ["withdraw"], False, [[(0, "withdrawn", "5.01"), (1, "withdrawn", "2.00")]]),
        ([0, 1], ["prison"], False,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")], [(0, "freed", "10.01"), (1, "freed", "4.00")]]),
        ([0, 1], [{"0": "prison"}], False,
         [[(0, "prison", "0.00"), (1, "withdrawn", "2.00")], [(0, "freed", "10.01")]]),
        ([0, 2], [{"0": "prison", "1": "withdraw"}], False,
         [[(0, "prison", "0.00"), (1, "withdrawn", "2.00")], [(0, "lost", "0.00")]]),
        # A choice belongs to a zero in turn, not to a number.
        ([1, 0], ["prison"], False, [[(0, "won", "20.02"), (1, "won", "8.00")], []]),
        ([0, 0, 1], ["prison", "prison"], False,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")]] * 2 + [[(0, "freed", "5.01"), (1, "freed", "2.00")]]),
        ([0, 0], ["prison", {"1": "withdraw"}], False,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")], [(0, "waiting", "0.00"), (1, "withdrawn", "1.00")]]),
        # The sitting's last round asks nobody.
        ([0], [], True, [[(0, "refunded", "5.01"), (1, "refunded", "2.00")]]),
        ([0, 0], ["prison", "prison"], True,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")], [(0, "refunded", "2.51"), (1, "refunded", "1.00")]]),
    ],
)  # fmt: skip
def test_at_zero_the_choices_decide(
    numbers: list[int], choices: list[Any], last: bool, expected: list[list[tuple[int, str, str]]]
) -> None:
    answer = ask(rulebook="fr-francaise", bets=TWO, numbers=numbers, choices=choices, last_round=last)
    assert results(answer) == expected


@pytest.mark.article("fr-francaise:37", "fr-francaise:41")
def test_a_stake_that_met_a_zero_shows_what_may_be_taken_back() -> None:
    answer = ask(rulebook="fr-francaise", bets=TWO[:1], numbers=[0, 0, 0], choices=["prison"] * 3)
    assert [step["bets"][0]["may_withdraw"] for step in answer["steps"]] == ["5.01", "2.51", "1.26"]
    assert "may_withdraw" not in ask(rulebook="fr-francaise", numbers=[1])["steps"][0]["bets"][0]


@pytest.mark.parametrize("rulebook", ["pt-online", "fr-anglaise"])
def test_where_there_is_no_prison_choices_change_nothing(rulebook: str) -> None:
    asked = {"rulebook": rulebook, "numbers": [0, 1]}
    assert ask(**asked, choices=["prison"], last_round=True) == ask(**asked)


@pytest.mark.parametrize(
    "request_",
    [
        {"rulebook": "fr-francaise", "bets": TWO, "minimum": "1.00", "numbers": [0, 0], "choices": ["prison"]},
        {
            "bets": [{"type": "straight", "on": [1], "stake": "0.10"}],
            "minimum": "1.00",
            "options": {"total_limit": "0.01"},
        },
    ],
)
def test_amounts_are_text_everywhere(request_: dict[str, Any]) -> None:
    amounts = {"staked", "stake", "maximum", "minimum", "prize", "returned", "may_withdraw", "net"}
    found = [(key, value) for key, value in walk(ask(**request_)) if key in amounts]
    assert len(found) >= 3
    assert all(isinstance(value, str) and value[-3] == "." for _, value in found)
