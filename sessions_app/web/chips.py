"""Chips: which values a table's tray offers, and the colour of each."""

from dataclasses import dataclass

# Value in multiples of the table's minimum.
_TRAY = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Chip:
    """One value of the tray; `rank` picks its colour."""

    cents: int
    rank: int


def tray(minimum_cents: int) -> list[Chip]:
    """The values that can be chosen at a table."""
    return [Chip(multiple * minimum_cents, rank) for rank, multiple in enumerate(_TRAY)]


def rank_of(cents: int, minimum_cents: int) -> int:
    """The colour of a stack: that of the largest chip in it."""
    return max((rank for rank, multiple in enumerate(_TRAY) if multiple * minimum_cents <= cents), default=0)
