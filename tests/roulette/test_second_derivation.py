"""The engine against the second derivation, on every spot, number, stake and rulebook."""

import pytest

from tables.roulette.cloth import SPOTS, find_spot
from tables.roulette.exposure import largest_win
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import all_rulebooks
from tables.roulette.settlement import returned_cents, spot_results
from tables.roulette.wheel import WHEEL, colour_of
from tests.roulette import second_derivation as law

RULEBOOKS = pytest.mark.parametrize("rulebook", all_rulebooks(), ids=lambda rulebook: rulebook.code)
STAKES = (1, 2, 3, 50, 99, 100, 12345)


@pytest.mark.article("pt:6a", "pt:6b", "pt:6c", "fr-francaise:1", "fr-francaise:4", "fr-anglaise:1")
def test_the_wheel_is_the_laws_pocket_by_pocket() -> None:
    assert WHEEL == law.WHEEL
    assert sorted(WHEEL) == list(range(37))
    assert [str(colour_of(number)) for number in WHEEL] == ["none", *["red", "black"] * 18]
    assert {number for number in WHEEL if colour_of(number) == "red"} == law.REDS


@pytest.mark.article(
    "pt:6d",
    "pt:7",
    "pt:7a",
    "pt:7b",
    "pt:10",
    "fr-francaise:24",
    "fr-anglaise:27",
    "pt:7a-i",
    "pt:7a-ii",
    "pt:7a-iii",
    "pt:7a-iv",
    "pt:7a-v",
    "pt:7a-vi",
    "pt:7a-vii",
    "pt:7a-viii",
    "pt:7a-ix",
    "pt:7b-i",
    "pt:7b-ii",
    "pt:7b-iii",
    "pt:7b-iv",
    "pt:7b-v",
    "pt:7b-vi",
)
def test_the_cloth_has_the_161_spots_of_the_law_and_no_other() -> None:
    ours = {(str(spot.type), spot.on): frozenset(spot.numbers) for spot in SPOTS}
    assert ours == law.spots()
    assert len(SPOTS) == 161


@pytest.mark.article(
    "pt:14", "pt:14a", "pt:14a-i", "pt:14a-ii", "pt:14a-iii", "pt:14a-iv", "pt:14a-v", "pt:14a-vi", "pt:14a-vii",
    "pt:14a-viii", "pt:14a-ix", "pt:14b", "pt:20", "pt:21", "fr-francaise:25", "fr-francaise:26", "fr-francaise:27", "fr-francaise:28", "fr-francaise:29", "fr-francaise:30", "fr-francaise:31", "fr-francaise:32", "fr-francaise:33", "fr-francaise:34", "fr-francaise:35", "fr-anglaise:28", "fr-anglaise:29", "fr-anglaise:30", "fr-anglaise:31", "fr-anglaise:32", "fr-anglaise:33", "fr-anglaise:34", "fr-anglaise:35", "fr-anglaise:36", "fr-anglaise:37", "fr-anglaise:38", "fr-anglaise:39", "fr-anglaise:40",
)  # fmt: skip
@RULEBOOKS
def test_every_spot_returns_on_every_number_what_the_law_says(rulebook: Rulebook) -> None:
    for number in range(37):
        for spot, result in zip(SPOTS, spot_results(rulebook, number), strict=True):
            for stake in STAKES:
                said = (result.kind, returned_cents(result, stake))
                assert said == law.outcome(rulebook.code, frozenset(spot.numbers), number, stake), (spot, number, stake)


@RULEBOOKS
def test_every_prize_is_36_over_the_numbers_less_the_stake(rulebook: Rulebook) -> None:
    for spot in SPOTS:
        for stake in STAKES:
            assert rulebook.prize_cents(spot, stake) == law.prize(len(spot.numbers), stake)


@pytest.mark.article(
    "pt:3b", "pt:12", "pt:12a", "pt:12a-i", "pt:12a-ii", "pt:12a-iii", "pt:12a-iv", "pt:12a-v", "pt:12a-vi",
    "pt:12a-vii", "pt:12a-viii", "pt:12a-ix", "pt:12b", "fr-francaise:44", "fr-francaise:45", "fr-francaise:46", "fr-francaise:47", "fr-francaise:48", "fr-francaise:49", "fr-francaise:50", "fr-francaise:51", "fr-francaise:52", "fr-francaise:53", "fr-anglaise:48", "fr-anglaise:49", "fr-anglaise:50", "fr-anglaise:51", "fr-anglaise:52", "fr-anglaise:53", "fr-anglaise:54", "fr-anglaise:55", "fr-anglaise:56", "fr-anglaise:57",
)  # fmt: skip
@RULEBOOKS
def test_every_maximum_is_the_laws_multiple_of_the_minimum(rulebook: Rulebook) -> None:
    for spot in SPOTS:
        for minimum in (1, 50, 200):
            assert rulebook.maximum_cents(spot, minimum) == law.maximum(rulebook.code, len(spot.numbers), minimum)


@pytest.mark.article("fr-francaise:21", "fr-anglaise:22", "fr-anglaise:23")
@RULEBOOKS
def test_payment_goes_in_the_order_of_the_law(rulebook: Rulebook) -> None:
    order = law.PAYMENT_ORDER[rulebook.code]
    named = [str(wager) for wager in rulebook.payment_order if str(wager) in order]
    assert named == order
    # What the French texts omit is placed beside its like, by us.
    for double, single in (("split_dozen", "dozen"), ("split_column", "column")):
        if double not in order:
            ranks = {str(wager): rank for rank, wager in enumerate(rulebook.payment_order)}
            assert ranks[single] < ranks[double] <= ranks["dozen"] + 2


@pytest.mark.article("pt:8")
@RULEBOOKS
def test_call_bets_are_taken_where_the_law_knows_them(rulebook: Rulebook) -> None:
    assert bool(rulebook.call_bets) is law.CALL_BETS_ALLOWED[rulebook.code]


@pytest.mark.parametrize(
    ("code", "win", "staked"),
    [("pt-online", 16_260, 6_420), ("fr-francaise", 21_070, 13_250), ("fr-anglaise", 10_840, 4_280)],
)
def test_the_largest_win_on_one_number(code: str, win: int, staked: int) -> None:
    rulebook = next(rulebook for rulebook in all_rulebooks() if rulebook.code == code)
    assert largest_win(rulebook, 1) == (win, staked, (14, 17, 20, 23))


def test_an_index_of_a_spot_is_for_ever() -> None:
    # Databases store them: a change here breaks every bet ever placed.
    known = {
        0: ("straight", [0]), 17: ("straight", [17]), 36: ("straight", [36]), 37: ("split", [0, 1]),
        39: ("split", [0, 3]), 96: ("split", [35, 36]), 97: ("street", [0, 1, 2]), 98: ("street", [0, 2, 3]),
        110: ("street", [34, 35, 36]), 111: ("corner", [0, 1, 2, 3]), 133: ("corner", [32, 33, 35, 36]),
        134: ("line", [1, 2, 3, 4, 5, 6]), 144: ("line", [31, 32, 33, 34, 35, 36]), 145: ("dozen", [1]),
        148: ("column", [1]), 151: ("split_dozen", [1, 2]), 153: ("split_column", [1, 2]), 155: ("even", []),
        156: ("odd", []), 157: ("low", []), 158: ("high", []), 159: ("red", []), 160: ("black", []),
    }  # fmt: skip
    for index, (wager, on) in known.items():
        assert find_spot(wager, on).index == index
    assert [spot.index for spot in SPOTS] == list(range(161))
