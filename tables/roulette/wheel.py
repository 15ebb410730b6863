"""The cylinder: 37 pockets and their colours (Portuguese rules 6a to 6c; roulette française, "Le matériel")."""

from enum import StrEnum

from .pockets import PocketSet


class Colour(StrEnum):
    """The ground of a number. Zero has none: it is drawn green and is neither red nor black."""

    RED = "red"
    BLACK = "black"
    NONE = "none"


# Clockwise (rule 6c).
WHEEL = (
    0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29,
    7, 28, 12, 35, 3, 26,
)  # fmt: skip
_PLACE = {number: place for place, number in enumerate(WHEEL)}

# The colours take turns round the wheel (rule 6b), beginning with red 32, as on the trade's wheel.
RED = PocketSet.from_numbers(WHEEL[1::2])
BLACK = PocketSet.from_numbers(WHEEL[2::2])


def colour_of(number: int) -> Colour:
    """Return the colour of a pocket."""
    if number in RED:
        return Colour.RED
    return Colour.BLACK if number in BLACK else Colour.NONE


def neighbours_of(number: int, each_side: int) -> tuple[int, ...]:
    """Return the number with `each_side` neighbours to the left and right on the wheel, clockwise (rule 8d)."""
    place = _PLACE[number]
    return tuple(WHEEL[(place + step) % len(WHEEL)] for step in range(-each_side, each_side + 1))


def sector(first: int, last: int) -> tuple[int, ...]:
    """Return the numbers from `first` to `last` clockwise, both included (rules 8a, 8b).

    >>> sector(22, 28)
    (22, 18, 29, 7, 28)
    """
    start = _PLACE[first]
    length = (_PLACE[last] - start) % len(WHEEL) + 1
    return tuple(WHEEL[(start + step) % len(WHEEL)] for step in range(length))
