"""What the engine's values promise to those that use them: they cannot change, they refuse what is not on the wheel, and
they say where a chip stands. tools/mutate_engine.py holds these tests to noticing every constant."""

import dataclasses
import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from math import gcd
from types import ModuleType

import pytest

import tables.roulette
from tables.roulette.bets import Bet
from tables.roulette.call_bets import CallBet, InvalidCall
from tables.roulette.cloth import SPOTS, Spot, SpotType, find_spot
from tables.roulette.exposure import house_result_by_number, returned_by_number
from tables.roulette.play import play
from tables.roulette.pockets import PocketSet
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import all_rulebooks, find_rulebook
from tables.roulette.settlement import spot_results
from tests.roulette import second_derivation as law

RULEBOOKS = pytest.mark.parametrize("rulebook", all_rulebooks(), ids=lambda rulebook: rulebook.code)
MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(tables.roulette.__path__, f"{tables.roulette.__name__}.")
]


def values_of(module: ModuleType) -> Iterator[type]:
    return (one for one in vars(module).values() if dataclasses.is_dataclass(one) and one.__module__ == module.__name__)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_value_is_frozen(module: ModuleType) -> None:
    assert all(one.__dataclass_params__.frozen for one in values_of(module))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_in_its_words_are_true(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_there_are_values_and_examples_to_look_at() -> None:
    assert sum(1 for module in MODULES for _ in values_of(module)) >= 10
    assert sum(doctest.testmod(module).attempted for module in MODULES) >= 8


@pytest.mark.parametrize("number", [-1, 37, 100])
def test_a_set_of_pockets_holds_no_number_that_the_wheel_does_not_have(number: int) -> None:
    with pytest.raises(ValueError, match=f"{number} is no pocket"):
        PocketSet.of(0, number)
    assert number not in PocketSet.from_numbers(range(37))


def test_a_set_of_pockets_is_what_a_set_is() -> None:
    everything = PocketSet.from_numbers(range(37))
    assert (list(everything), len(everything), everything.bits) == (list(range(37)), 37, 2**37 - 1)
    assert list(everything - PocketSet.of(*range(1, 37))) == [0]
    assert list(PocketSet.of(36, 5) | PocketSet.of(0)) == [0, 5, 36]
    assert PocketSet.of(1, 2) == PocketSet.of(2, 1, 2)
    assert "1" not in PocketSet.of(1)


def place_of(spot: Spot) -> tuple[float, float]:
    """The middle of the chip on the wide layout, from the printed rows: zero at the left, a cell of one by one each."""
    cells = {
        n: (x + 0.5, y + 0.5) for y, row in enumerate((law.TOP, law.MIDDLE, law.BOTTOM)) for x, n in enumerate(row)
    }
    outer_edge = 3.0
    xs = [cells[n][0] for n in spot.numbers if n]
    ys = [cells[n][1] for n in spot.numbers if n]
    middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2) if xs else (-0.5, 1.5)
    if 0 in spot.numbers and xs:
        return 0.0, outer_edge if spot.type is SpotType.CORNER else middle[1]
    match spot.type:
        case SpotType.STREET | SpotType.LINE:
            return middle[0], outer_edge
        case SpotType.DOZEN | SpotType.SPLIT_DOZEN:
            return middle[0], 3.5
        case SpotType.COLUMN | SpotType.SPLIT_COLUMN:
            return 12.5, middle[1]
        case _ if not spot.on:
            return {"low": 1, "even": 3, "red": 5, "black": 7, "odd": 9, "high": 11}[spot.type], 4.5
    return middle


@pytest.mark.article("pt:6d", "pt:9")
@pytest.mark.parametrize("spot", SPOTS, ids=str)
def test_a_chip_stands_where_a_croupier_puts_it(spot: Spot) -> None:
    assert spot.centre == place_of(spot)
    # Turned by a quarter: the zero comes to the top, what was below comes to the left.
    assert spot.tall_centre == (3 - spot.centre[1], spot.centre[0])


def test_no_two_chips_stand_in_one_place() -> None:
    assert len({spot.centre for spot in SPOTS}) == len(SPOTS)


@pytest.mark.article("pt:8d", "pt:8e")
@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("neighbours", {}, "invalid_number"),
        ("neighbours", {"number": 37, "neighbours": 2}, "invalid_number"),
        ("neighbours", {"number": -1, "neighbours": 2}, "invalid_number"),
        ("neighbours", {"number": 17}, "invalid_neighbours"),
        ("neighbours", {"number": 17, "neighbours": 0}, "invalid_neighbours"),
        ("neighbours", {"number": 17, "neighbours": 3}, "invalid_neighbours"),
        ("neighbours", {"number": 17, "neighbours": 8}, "invalid_neighbours"),
        ("final", {}, "invalid_digit"),
        ("final", {"digit": -1}, "invalid_digit"),
        ("final", {"digit": 10}, "invalid_digit"),
        ("jeu_zero", {}, "not_offered"),
    ],
)
def test_a_call_of_what_is_not_on_the_wheel_says_what_is_wrong(
    name: str, parameters: dict[str, int], reason: str
) -> None:
    with pytest.raises(InvalidCall) as refused:
        _ = CallBet(name, 100, parameters).parts
    assert refused.value.reason == reason


def test_a_call_with_two_faults_names_both() -> None:
    with pytest.raises(
        InvalidCall, match=r"99 is no number of the wheel\. A number is called with two, four or six neighbours\.$"
    ) as refused:
        _ = CallBet("neighbours", 100, {"number": 99, "neighbours": 3}).parts
    assert [reason for reason, _ in refused.value.faults] == ["invalid_number", "invalid_neighbours"]


@RULEBOOKS
def test_what_is_returned_is_a_ratio_in_lowest_terms(rulebook: Rulebook) -> None:
    for number in range(37):
        for result in spot_results(rulebook, number):
            assert gcd(result.numerator, result.denominator) == 1


@RULEBOOKS
def test_only_what_wins_has_a_prize(rulebook: Rulebook) -> None:
    slip = [Bet(spot, 101) for spot in SPOTS]
    choices = [{spot.index: ("prison", "withdraw")[spot.index % 2] for spot in SPOTS}, {}]
    for numbers, last_round in (([0], True), ([0], False), ([0, 0, 17], False), ([0, 36], False), ([5], False)):
        for chosen in (choices, []):
            for step in play(rulebook, slip, numbers, chosen, last_round=last_round):
                for result in step.results:
                    assert (result.prize_cents > 0) == (result.result == "won")


@pytest.mark.parametrize(
    ("code", "at_zero"), [("pt-online", 3600), ("fr-francaise", 3600 + 51), ("fr-anglaise", 3600 + 51)]
)
def test_the_house_pays_by_number_what_settling_returns(code: str, at_zero: int) -> None:
    rulebook = find_rulebook(code)
    slip = [Bet(find_spot("straight", [0]), 100), Bet(find_spot("red", []), 101), Bet(find_spot("dozen", [1]), 50)]
    paid = returned_by_number(rulebook, slip)
    # 1 is red and in the dozen, 2 only in the dozen, 36 only red, 35 neither.
    assert [paid[number] for number in (0, 1, 2, 36, 35)] == [at_zero, 202 + 150, 150, 202, 0]
    assert house_result_by_number(rulebook, slip) == tuple(251 - one for one in paid)
    assert returned_by_number(rulebook, []) == (0,) * 37


@RULEBOOKS
def test_a_rulebook_may_hold_every_maximum_at_the_minimum(rulebook: Rulebook) -> None:
    lowest = dataclasses.replace(rulebook, maxima=dict.fromkeys(SpotType, 1))
    assert {lowest.maximum_cents(spot, 250) for spot in SPOTS} == {250}


@RULEBOOKS
def test_prizes_and_maxima_cannot_be_changed(rulebook: Rulebook) -> None:
    for table in (rulebook.prizes, rulebook.maxima):
        with pytest.raises(TypeError):
            table[SpotType.RED] = table[SpotType.STRAIGHT]  # type: ignore[index]


def test_one_rulebook_lets_the_player_choose_at_zero() -> None:
    assert [rulebook.code for rulebook in all_rulebooks() if rulebook.zero_rule.offers_choice] == ["fr-francaise"]
