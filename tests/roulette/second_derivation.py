"""The rules a second time, from the legal texts by hand, sharing nothing with the engine: no import, no idea.

Numbers come from typed rows of the printed cloth, prizes from the numbers covered (36/n - 1), the zero and the maxima
are typed from the law. The tests hold the engine against it on everything.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil

# The cloth as it lies, zero at the left (rule 6d).
TOP = (3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36)
MIDDLE = (2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35)
BOTTOM = (1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34)
REDS = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})

# Rule 6c, clockwise.
WHEEL = (
    0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29,
    7, 28, 12, 35, 3, 26,
)  # fmt: skip

# Rule 12; roulette française, "Maxima et minima"; article 57-12. One number, two, three, four, six, twelve, twenty-four,
# and the even chances.
MAXIMA = {
    "pt-online": {1: 30, 2: 60, 3: 90, 4: 120, 6: 180, 12: 360, 24: 720, 18: 540},
    "fr-francaise": {1: 30, 2: 60, 3: 100, 4: 120, 6: 200, 12: 500, 24: 2000, 18: 1000},
    "fr-anglaise": {1: 20, 2: 40, 3: 60, 4: 80, 6: 120, 12: 240, 24: 480, 18: 360},
}
# What becomes of an even chance at zero: rule 21; the player's choice; article 57-11, last paragraph.
ZERO = {"pt-online": "lost", "fr-francaise": "zero_choice", "fr-anglaise": "half"}
CALL_BETS_ALLOWED = {"pt-online": True, "fr-francaise": False, "fr-anglaise": False}
PAYMENT_ORDER = {
    "fr-francaise": ["column", "dozen", "red", "black", "odd", "even", "high", "low", "street", "corner", "split", "straight"],
    "fr-anglaise": [
        "column", "high", "odd", "black", "red", "even", "low", "dozen", "line", "street", "corner", "split", "straight",
    ],
    "pt-online": [
        "straight", "split", "street", "corner", "line", "dozen", "column", "split_dozen", "split_column",
        "even", "odd", "high", "low", "red", "black",
    ],
}  # fmt: skip


def spots() -> dict[tuple[str, tuple[int, ...]], frozenset[int]]:
    """Every place where a chip can stand: (type, on) and the numbers covered."""
    found: dict[tuple[str, tuple[int, ...]], frozenset[int]] = {}

    def put(wager: str, numbers: list[int], on: list[int] | None = None) -> None:
        found[wager, tuple(sorted(numbers if on is None else on))] = frozenset(numbers)

    for number in range(37):
        put("straight", [number])
    rows = (TOP, MIDDLE, BOTTOM)
    for row in rows:
        for left, right in pairwise(row):
            put("split", [left, right])
    for upper, lower in ((TOP, MIDDLE), (MIDDLE, BOTTOM)):
        for place in range(12):
            put("split", [upper[place], lower[place]])
            if place:
                put("corner", [upper[place - 1], upper[place], lower[place - 1], lower[place]])
    for place in range(12):
        street = [row[place] for row in rows]
        put("street", street)
        if place:
            put("line", street + [row[place - 1] for row in rows])
    for beside_zero in (1, 2, 3):
        put("split", [0, beside_zero])
    put("street", [0, 1, 2])
    put("street", [0, 2, 3])
    put("corner", [0, 1, 2, 3])
    dozens = {1: list(range(1, 13)), 2: list(range(13, 25)), 3: list(range(25, 37))}
    columns = {1: list(BOTTOM), 2: list(MIDDLE), 3: list(TOP)}
    for name, twelves in (("dozen", dozens), ("column", columns)):
        for which, numbers in twelves.items():
            put(name, numbers, [which])
        for first in (1, 2):
            put(f"split_{name}", twelves[first] + twelves[first + 1], [first, first + 1])
    put("even", list(range(2, 37, 2)), [])
    put("odd", list(range(1, 37, 2)), [])
    put("low", list(range(1, 19)), [])
    put("high", list(range(19, 37)), [])
    put("red", sorted(REDS), [])
    put("black", sorted(set(range(1, 37)) - REDS), [])
    return found


def prize(covered: int, stake_cents: int) -> int:
    """36/n - 1 times the stake; half a cent goes up."""
    return ceil(stake_cents * (Fraction(36, covered) - 1))


def maximum(code: str, covered: int, minimum_cents: int) -> int:
    return MAXIMA[code][covered] * minimum_cents


def outcome(code: str, covered: frozenset[int], number: int, stake_cents: int) -> tuple[str, int]:
    """What becomes of a stake: the word, and what goes back."""
    if number in covered:
        return "won", stake_cents + prize(len(covered), stake_cents)
    if number == 0 and len(covered) == 18:
        back = {"lost": 0, "zero_choice": 0, "half": ceil(Fraction(stake_cents, 2))}
        return ZERO[code], back[ZERO[code]]
    return "lost", 0
