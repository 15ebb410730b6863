"""Chips: which values a table's tray offers, the colour of each, and how a stake is stacked of them."""

from dataclasses import dataclass

from tables.web.coordinates import num

# Value in multiples of the table's minimum: at a minimum of 0.50 they are 0.50, 1, 2, 5, 10, 25 and 100.
_TRAY = (1, 2, 4, 10, 20, 50, 200)
# The chip that a player finds in his hand.
_FIRST_CHOSEN = 1
# More chips than this make a stack no higher.
_HIGHEST_STACK = 5
_CHIP_HEIGHT = 2.6


@dataclass(frozen=True)
class Chip:
    """One value of the tray; `rank` picks its colour."""

    cents: int
    rank: int

    @property
    def is_first_chosen(self) -> bool:
        return self.rank == _FIRST_CHOSEN


def tray(minimum_cents: int) -> list[Chip]:
    """The values that can be chosen at a table."""
    return [Chip(multiple * minimum_cents, rank) for rank, multiple in enumerate(_TRAY)]


@dataclass(frozen=True)
class Layer:
    """A chip of a stack: its colour, and how far it lies above the cloth."""

    rank: int
    y: str


def stack_of(cents: int, minimum_cents: int) -> list[Layer]:
    """The chips of a stake, the smallest lowest, so that the largest one's colour is seen."""
    chips: list[int] = []
    left = cents
    for rank in reversed(range(len(_TRAY))):
        count, left = divmod(left, _TRAY[rank] * minimum_cents)
        chips += [rank] * min(count, _HIGHEST_STACK)
    shown = chips[:_HIGHEST_STACK] or [0]
    return [Layer(rank, num(-_CHIP_HEIGHT * height)) for height, rank in enumerate(reversed(shown))]
