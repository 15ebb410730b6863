"""The betting area: where the numbers stand, and the 161 spots that follow from it (Portuguese rules 6d, 7, 10).

The cloth is written down once, as coordinates: three rows of twelve with the zero at their head. Which numbers a chip
can straddle follows from which cells touch. Coordinates are in cells of the wide layout, x to the right from the edge
between zero and 1-2-3, y down from the top of the row of 3, 6, 9 ...; a spot's `centre` is where a croupier would put
the chip.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from .pockets import PocketSet
from .wheel import BLACK, RED

ROWS = 3
STREETS = 12
NUMBERS = tuple(range(1, ROWS * STREETS + 1))
TWELVES = (1, 2, 3)


class SpotType(StrEnum):
    """The wagers of rule 7, in its order."""

    STRAIGHT = "straight"
    SPLIT = "split"
    STREET = "street"
    CORNER = "corner"
    LINE = "line"
    DOZEN = "dozen"
    COLUMN = "column"
    SPLIT_DOZEN = "split_dozen"
    SPLIT_COLUMN = "split_column"
    EVEN = "even"
    ODD = "odd"
    LOW = "low"
    HIGH = "high"
    RED = "red"
    BLACK = "black"


# Left to right on the cloth, each over two streets.
EVEN_MONEY_ROW = (SpotType.LOW, SpotType.EVEN, SpotType.RED, SpotType.BLACK, SpotType.ODD, SpotType.HIGH)
EVEN_MONEY = frozenset(EVEN_MONEY_ROW)


class InvalidSpot(ValueError):
    """The cloth has no such spot: a chip cannot stand there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One of the 161 places where a chip can stand.

    `index` is its permanent number, 0 to 160: by type in the order of SpotType, then by the numbers in `on`. Databases
    store it, so neither order ever changes.
    """

    index: int
    type: SpotType
    on: tuple[int, ...]
    # The numbers covered, ascending.
    numbers: tuple[int, ...]
    pockets: PocketSet
    centre: tuple[float, float]

    @property
    def is_even_money(self) -> bool:
        """Whether it is one of the single wagers (rule 7b), the French chances simples."""
        return self.type in EVEN_MONEY

    @property
    def tall_centre(self) -> tuple[float, float]:
        """`centre` on the tall layout: zero on top, 1 2 3 below it, dozens and even money at the left."""
        x, y = self.centre
        return ROWS - y, x

    def __str__(self) -> str:
        return f"{self.type} {'-'.join(map(str, self.on))}".replace("_", " ").strip()


def cell_of(number: int) -> tuple[int, int]:
    """The cell of a number 1 to 36: its street from the left, its row from the top.

    >>> cell_of(1), cell_of(3), cell_of(36)
    ((0, 2), (0, 0), (11, 0))
    """
    street, place = divmod(number - 1, ROWS)
    return street, ROWS - 1 - place


def column_of(number: int) -> int:
    """The column 1, 2 or 3 of a number: column 1 ends in 34."""
    return (number - 1) % ROWS + 1


def dozen_of(number: int) -> int:
    """The dozen 1, 2 or 3 of a number."""
    return (number - 1) * len(TWELVES) // len(NUMBERS) + 1


def _mid(numbers: Iterable[int]) -> tuple[float, float]:
    """The middle of the cells of numbers."""
    cells = [cell_of(number) for number in numbers]
    return sum(x for x, _ in cells) / len(cells) + 0.5, sum(y for _, y in cells) / len(cells) + 0.5


def _street(first: int) -> tuple[int, ...]:
    return tuple(range(first, first + ROWS))


_Place = tuple[SpotType, tuple[int, ...], tuple[int, ...], tuple[float, float]]


def _inside() -> Iterable[_Place]:
    """Straights, splits, streets, corners and lines: type, on, numbers, centre."""
    first_street = _street(1)
    zero_edge = 0.0
    outer_edge = float(ROWS)
    yield SpotType.STRAIGHT, (0,), (0,), (-0.5, ROWS / 2)
    for number in NUMBERS:
        yield SpotType.STRAIGHT, (number,), (number,), _mid([number])
    for number in first_street:
        yield SpotType.SPLIT, (0, number), (0, number), (zero_edge, _mid([number])[1])
    for low, high in pairwise(first_street):
        yield SpotType.STREET, (0, low, high), (0, low, high), (zero_edge, _mid([low, high])[1])
    first_four = (0, *first_street)
    yield SpotType.CORNER, first_four, first_four, (zero_edge, outer_edge)
    for number in NUMBERS:
        right = number + ROWS
        up = number + 1
        has_right = right <= NUMBERS[-1]
        if has_right:
            yield SpotType.SPLIT, (number, right), (number, right), _mid([number, right])
        if column_of(number) < ROWS:
            yield SpotType.SPLIT, (number, up), (number, up), _mid([number, up])
            if has_right:
                corner = (number, up, right, right + 1)
                yield SpotType.CORNER, corner, corner, _mid(corner)
        if column_of(number) == 1:
            street = _street(number)
            yield SpotType.STREET, street, street, (_mid(street)[0], outer_edge)
            if has_right:
                line = street + _street(right)
                yield SpotType.LINE, line, line, (_mid(line)[0], outer_edge)


def _twelves(
    single: SpotType, double: SpotType, group: Callable[[int], int], centre: Callable[[float], tuple[float, float]]
) -> Iterable[_Place]:
    """Dozens or columns, and the chips that straddle two neighbours of them (reading 2)."""
    members = {twelve: tuple(n for n in NUMBERS if group(n) == twelve) for twelve in TWELVES}
    for twelve in TWELVES:
        yield single, (twelve,), members[twelve], centre(twelve)
    for first, second in pairwise(TWELVES):
        yield double, (first, second), tuple(sorted(members[first] + members[second])), centre((first + second) / 2)


def _even_money() -> Iterable[_Place]:
    members: dict[SpotType, Iterable[int]] = {
        SpotType.EVEN: (n for n in NUMBERS if n % 2 == 0),
        SpotType.ODD: (n for n in NUMBERS if n % 2 == 1),
        SpotType.LOW: NUMBERS[: len(NUMBERS) // 2],
        SpotType.HIGH: NUMBERS[len(NUMBERS) // 2 :],
        SpotType.RED: RED,
        SpotType.BLACK: BLACK,
    }
    width = STREETS / len(EVEN_MONEY_ROW)
    for place, wager in enumerate(EVEN_MONEY_ROW):
        yield wager, (), tuple(members[wager]), (width * (place + 0.5), ROWS + 1.5)


_TYPES = list(SpotType)


def _permanent_order(place: _Place) -> tuple[int, tuple[int, ...]]:
    wager, on, _, _ = place
    return _TYPES.index(wager), on


def _spots() -> tuple[Spot, ...]:
    places: list[_Place] = [*_inside(), *_even_money()]
    places += _twelves(SpotType.DOZEN, SpotType.SPLIT_DOZEN, dozen_of, lambda d: (STREETS / 3 * (d - 0.5), ROWS + 0.5))
    places += _twelves(SpotType.COLUMN, SpotType.SPLIT_COLUMN, column_of, lambda c: (STREETS + 0.5, ROWS - c + 0.5))
    places.sort(key=_permanent_order)
    return tuple(
        Spot(index, wager, on, numbers, PocketSet.from_numbers(numbers), centre)
        for index, (wager, on, numbers, centre) in enumerate(places)
    )


SPOTS = _spots()
_BY_TYPE_AND_ON = {(str(spot.type), spot.on): spot for spot in SPOTS}
_BY_NUMBERS = {spot.numbers: spot for spot in SPOTS}


def find_spot(wager: str | None, on: Sequence[int] | None) -> Spot:
    """Return the spot of a wager on numbers (or on dozens or columns, by their number); raises InvalidSpot.

    Without a wager the spot is found from the numbers that it covers.

    >>> find_spot("split", [14, 17]).numbers
    (14, 17)
    >>> str(find_spot(None, [1, 2, 3]))
    'street 1-2-3'
    """
    places = tuple(sorted(on or ()))
    spot = _BY_NUMBERS.get(places) if wager is None else _BY_TYPE_AND_ON.get((wager, places))
    if spot is None:
        # The words are ours alone: what was asked for may be any text.
        raise InvalidSpot("A chip cannot stand there: the cloth has no such spot.")
    return spot
