"""What the house stands to pay, number by number, and the most that one player can win."""

from collections.abc import Iterable
from fractions import Fraction

from .bets import Bet
from .cloth import SPOTS, Spot
from .prison import withdrawable_cents
from .rulebook import Rulebook
from .settlement import returned_cents, spot_results
from .wheel import WHEEL


def returned_by_number(rulebook: Rulebook, bets: Iterable[Bet]) -> tuple[int, ...]:
    """Return, for each number 0 to 36, what would go back to the players in cents, prizes included.

    Where the player has a choice at zero, half back counts: it is what can be asked for at once.
    """
    standing = list(bets)
    totals = []
    for number in sorted(WHEEL):
        results = spot_results(rulebook, number)
        total = 0
        for bet in standing:
            result = results[bet.spot.index]
            waits = result.kind == "zero_choice"
            total += withdrawable_cents(bet.stake_cents, 1) if waits else returned_cents(result, bet.stake_cents)
        totals.append(total)
    return tuple(totals)


def house_result_by_number(rulebook: Rulebook, bets: Iterable[Bet]) -> tuple[int, ...]:
    """Return what the house would win (or, below zero, pay) on each number, in cents."""
    standing = list(bets)
    staked = sum(bet.stake_cents for bet in standing)
    return tuple(staked - returned for returned in returned_by_number(rulebook, standing))


def expected_return(rulebook: Rulebook, spot: Spot) -> Fraction:
    """Return the share of a stake that goes back on average. Half back counts where the player may choose it."""
    total = Fraction(0)
    for number in WHEEL:
        result = spot_results(rulebook, number)[spot.index]
        waits = result.kind == "zero_choice"
        total += Fraction(1, 2) if waits else Fraction(result.numerator, result.denominator)
    return total / len(WHEEL)


def largest_win(rulebook: Rulebook, minimum_cents: int) -> tuple[int, int, tuple[int, ...]]:
    """Return the most that one player can win on one number, the stakes it takes, and on which numbers it happens.

    Every spot that includes the number stands at its maximum; the win is the prizes alone.
    """
    wins = {}
    for number in sorted(WHEEL):
        maxima = [(spot, rulebook.maximum_cents(spot, minimum_cents)) for spot in SPOTS if number in spot.pockets]
        wins[number] = (
            sum(rulebook.prize_cents(spot, stake) for spot, stake in maxima),
            sum(stake for _, stake in maxima),
        )
    largest, staked = max(wins.values())
    return largest, staked, tuple(number for number, win in wins.items() if win == (largest, staked))
