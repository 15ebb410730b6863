"""Call bets: announced combinations on the wheel, which are their parts (Portuguese rules 8 and 15; reading 4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .bets import Bet
from .cloth import Spot, find_spot
from .wheel import WHEEL, neighbours_of

# Units on each part: voisins 9, tiers 6, orphelins 5, orphelins en plein 8.
SERIES: Mapping[str, tuple[tuple[tuple[int, ...], int], ...]] = {
    "voisins": (
        ((0, 2, 3), 2), ((4, 7), 1), ((12, 15), 1), ((18, 21), 1), ((19, 22), 1), ((25, 26, 28, 29), 2), ((32, 35), 1),
    ),
    "tiers": (((5, 8), 1), ((10, 11), 1), ((13, 16), 1), ((23, 24), 1), ((27, 30), 1), ((33, 36), 1)),
    "orphelins": (((1,), 1), ((6, 9), 1), ((14, 17), 1), ((17, 20), 1), ((31, 34), 1)),
    "orphelins_en_plein": tuple(((number,), 1) for number in (1, 6, 9, 14, 17, 20, 31, 34)),
}  # fmt: skip
NEIGHBOURS = "neighbours"
FINAL = "final"
CALL_BETS = (*SERIES, NEIGHBOURS, FINAL)
# In total, half on each side (rule 8d).
NEIGHBOUR_COUNTS = (2, 4, 6)


class InvalidCall(ValueError):
    """The call names what is not on the wheel; `faults` has a reason and a sentence for each part of it that does."""

    def __init__(self, *faults: tuple[str, str]) -> None:
        super().__init__(" ".join(sentence for _, sentence in faults))
        self.faults = faults

    @property
    def reason(self) -> str:
        """The reason of the first fault."""
        reason, _ = next(iter(self.faults))
        return reason


@dataclass(frozen=True)
class CallBet:
    """An announced combination; `parts` are the bets that it is played as, and its name stays on record beside them."""

    name: str
    unit_cents: int
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[Bet, ...]:
        """The bets: neighbours clockwise around their number, everything else by number; raises InvalidCall."""
        return tuple(Bet(spot, units * self.unit_cents) for spot, units in self._spots())

    def _spots(self) -> tuple[tuple[Spot, int], ...]:
        if self.name in SERIES:
            return tuple((find_spot(None, numbers), units) for numbers, units in SERIES[self.name])
        if self.name == NEIGHBOURS:
            return tuple((find_spot(None, [number]), 1) for number in self._neighbours())
        if self.name == FINAL:
            return tuple((find_spot(None, [number]), 1) for number in self._final())
        raise InvalidCall(("not_offered", f"There is no call bet {self.name}."))

    def _neighbours(self) -> tuple[int, ...]:
        number, count = self.parameters.get("number"), self.parameters.get("neighbours")
        faults = []
        if number not in WHEEL:
            faults.append(("invalid_number", f"{number} is no number of the wheel."))
        if count not in NEIGHBOUR_COUNTS:
            faults.append(("invalid_neighbours", "A number is called with two, four or six neighbours."))
        if faults or number is None or count is None:
            raise InvalidCall(*faults)
        return neighbours_of(number, count // 2)

    def _final(self) -> tuple[int, ...]:
        digit = self.parameters.get("digit")
        if digit is None or not 0 <= digit <= 9:
            raise InvalidCall(("invalid_digit", "A final is a digit from 0 to 9."))
        return tuple(number for number in sorted(WHEEL) if number % 10 == digit)
