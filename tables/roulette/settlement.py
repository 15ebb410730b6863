"""What a winning number makes of each spot (Portuguese rules 14, 19 to 21; French combinations and zero)."""

from dataclasses import dataclass
from functools import cache

from .cloth import SPOTS, Spot
from .rulebook import Rulebook, round_up

ZERO = 0


@dataclass(frozen=True, slots=True)
class SpotResult:
    """What becomes of a stake on the spot: `numerator`/`denominator` of it is returned, prize included.

    Kinds: won, lost, half (half goes back at zero), zero_choice (the player decides; nothing moves yet).
    """

    spot: Spot
    kind: str
    numerator: int
    denominator: int


@cache
def spot_results(rulebook: Rulebook, number: int) -> tuple[SpotResult, ...]:
    """Return the result of every spot, in the order of their indexes; kept, since a house has few rulebooks."""
    return tuple(_result(rulebook, spot, number) for spot in SPOTS)


def _result(rulebook: Rulebook, spot: Spot, number: int) -> SpotResult:
    if number in spot.pockets:
        # The stake goes back with the prize.
        prize = rulebook.prizes[spot.type]
        return SpotResult(spot, "won", prize.numerator + prize.denominator, prize.denominator)
    if number == ZERO and spot.is_even_money:
        rule = rulebook.zero_rule
        return SpotResult(spot, rule.kind, rule.numerator, rule.denominator)
    return SpotResult(spot, "lost", 0, 1)


def returned_cents(result: SpotResult, stake_cents: int) -> int:
    """Return what goes back to the player of a stake, prize included; half a cent goes up."""
    return round_up(stake_cents * result.numerator, result.denominator)
