"""The drawings follow the engine's tables: every spot once, chips where a croupier puts them, lines where series end."""

import doctest
from itertools import combinations
from types import ModuleType

import pytest

from sessions_app.web.chips import stack_of, tray
from tables.roulette.call_bets import CALL_BETS, SERIES, CallBet
from tables.roulette.cloth import SPOTS, SpotType, find_spot
from tables.roulette.wheel import WHEEL, neighbours_of
from tables.web import coordinates, racetrack_drawing
from tables.web.cloth_drawing import Place, tall_cloth, wide_cloth
from tables.web.coordinates import num
from tables.web.names import CALL_NAMES, call_name, spot_name
from tables.web.racetrack_drawing import TALL_TRACK, WIDE_TRACK
from tables.web.wheel_drawing import degrees_of, wheel_pockets

CLOTHS = [wide_cloth(), tall_cloth()]
by_name = pytest.mark.parametrize("cloth", CLOTHS, ids=lambda cloth: cloth.name)


def overlap(a: Place, b: Place) -> bool:
    return (
        a.left + a.wide > b.left + 0.01
        and b.left + b.wide > a.left + 0.01
        and a.top + a.high > b.top + 0.01
        and b.top + b.high > a.top + 0.01
    )


@pytest.mark.article("pt:6d")
@by_name
def test_each_of_the_161_spots_has_a_region_of_its_own(cloth) -> None:
    assert sorted(place.spot.index for place in cloth.places) == list(range(161))
    boxes, lines = ([place for place in cloth.places if place.is_box is framed] for framed in (True, False))
    assert len(boxes) == 37 + 3 + 3 + 6
    for group in (boxes, lines):
        assert not [(str(a.spot), str(b.spot)) for a, b in combinations(group, 2) if overlap(a, b)]


@by_name
def test_a_chip_stands_in_its_region_and_on_the_cloth(cloth) -> None:
    for place in cloth.places:
        x, y = place.chip_at
        assert place.left < x < place.left + place.wide
        assert place.top < y < place.top + place.high
        assert place.left >= 0
        assert place.left + place.wide <= cloth.across
        assert place.top + place.high <= cloth.down


@by_name
def test_a_chip_on_a_line_touches_exactly_the_numbers_it_covers(cloth) -> None:
    numbers = {place.number: place for place in cloth.places if place.number is not None}
    for place in cloth.places:
        if place.spot.type in (SpotType.SPLIT, SpotType.CORNER) and 0 not in place.spot.numbers:
            touched = {number for number, box in numbers.items() if overlap(place, box)}
            assert touched == set(place.spot.numbers), str(place.spot)


@by_name
def test_every_region_can_be_hit_with_a_finger(cloth) -> None:
    # In a phone's width of 360 the tall cloth is drawn about one to one.
    smallest = min(min(place.wide, place.high) for place in cloth.places)
    assert smallest >= 14


@pytest.mark.article("pt:6", "pt:6a", "pt:6c")
def test_the_wheel_has_its_numbers_where_the_rule_puts_them() -> None:
    pockets = wheel_pockets()
    assert tuple(pocket.number for pocket in pockets) == WHEEL
    assert degrees_of(0) == "0"
    assert abs(float(degrees_of(32)) - 360 / 37) < 0.01
    # Evenly spaced, clockwise from the zero.
    assert [float(pocket.degrees) for pocket in pockets] == pytest.approx([n * 360 / 37 for n in range(37)], abs=0.01)


@pytest.mark.parametrize("track", [WIDE_TRACK, TALL_TRACK], ids=lambda track: track.name)
def test_lines_on_the_racetrack_fall_where_the_series_end(track) -> None:
    assert [pocket.number for pocket in track.pockets] == list(WHEEL)
    series = tuple(
        (name, frozenset(n for bet in CallBet(name, 1).parts for n in bet.spot.numbers))
        for name in ("voisins", "orphelins", "tiers")
    )
    areas = {area.name: area.path for area in track.areas(series)}
    assert sum(len(numbers) for _, numbers in series) == 37
    # Voisins begins at 22 and ends at 25, tiers begins at 27 and ends at 33 (rule 8): their corners are those of the
    # pockets, and the orphans' four corners are the same points.
    for name, first, last in (("voisins", 22, 25), ("tiers", 27, 33)):
        for place in (WHEEL.index(first) - 0.5, WHEEL.index(last) + 0.5):
            corner = ",".join(num(value) for value in track.point(place, track.band))
            assert corner in areas[name]
            assert corner in areas["orphelins"]


@pytest.mark.parametrize("track", [WIDE_TRACK, TALL_TRACK], ids=lambda track: track.name)
def test_the_zero_lies_at_the_end_of_the_racetrack(track) -> None:
    zero = track.pockets[0]
    if track.turned:
        assert float(zero.label_y) < track.length * 0.1
        assert abs(float(zero.label_x) - track.breadth / 2) < 1
    else:
        assert float(zero.label_x) > track.length * 0.9
        assert abs(float(zero.label_y) - track.breadth / 2) < 1


def test_every_spot_and_call_has_a_name_of_its_own() -> None:
    names = [spot_name(spot) for spot in SPOTS]
    assert len(set(names)) == 161
    assert spot_name(find_spot("split", [14, 17])) == "split 14–17"
    assert spot_name(find_spot("corner", [0, 1, 2, 3])) == "corner 0-1-2-3"
    assert spot_name(find_spot("street", [0, 2, 3])) == "street 0-2-3"
    assert spot_name(find_spot("column", [1])) == "column 34"
    assert spot_name(find_spot("split_column", [2, 3])) == "split column 35–36"
    assert spot_name(find_spot("red", [])) == "red"
    assert set(CALL_NAMES) == set(CALL_BETS)
    assert call_name("final", {"digit": 7}) == "final 7"
    assert call_name("neighbours", {"number": 0, "neighbours": 4}) == "0 and 4 neighbours"
    assert set(SERIES) <= set(CALL_NAMES)
    # A name is read up to the first comma by the script that shows it.
    assert not [name for name in names if "," in name]
    assert neighbours_of(0, 2) == (3, 26, 0, 32, 15)


def test_the_tray_and_the_stacks_made_of_it() -> None:
    assert [chip.cents for chip in tray(50)] == [50, 100, 200, 500, 1000, 2500, 10000]
    assert [layer.rank for layer in stack_of(350, 50)] == [0, 1, 2]
    assert [layer.rank for layer in stack_of(30, 50)] == [0]
    assert len(stack_of(10_000_00, 50)) == 5
    heights = [float(layer.y) for layer in stack_of(350, 50)]
    assert heights == sorted(heights, reverse=True)


@pytest.mark.parametrize("module", [coordinates, racetrack_drawing], ids=lambda module: module.__name__)
def test_the_examples_in_its_words_are_true(module: ModuleType) -> None:
    assert doctest.testmod(module) == (0, 1)
