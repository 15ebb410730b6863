"""A whole play, number after number: the first decides the bets, later ones what is then in prison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .bets import Bet
from .prison import freed_cents, withdrawable_cents
from .rulebook import Rulebook
from .settlement import ZERO, returned_cents, spot_results

PRISON = "prison"
WITHDRAW = "withdraw"
CHOICES = (PRISON, WITHDRAW)


@dataclass(frozen=True)
class BetResult:
    """What one number made of a bet.

    Results: won, lost, half (half back), prison, waiting (no choice made yet), withdrawn, freed, refunded (at the last
    round of the sitting). `may_withdraw_cents` is what can be taken back, where the bet has met a zero and lives.
    """

    bet: int
    result: str
    prize_cents: int
    returned_cents: int
    may_withdraw_cents: int | None = None


@dataclass(frozen=True)
class Step:
    """One number and the bets that were alive in it, by their index."""

    number: int
    results: tuple[BetResult, ...]

    @property
    def returned_cents(self) -> int:
        return sum(result.returned_cents for result in self.results)


def play(
    rulebook: Rulebook,
    bets: Sequence[Bet],
    numbers: Sequence[int],
    choices: Sequence[Mapping[int, str]] = (),
    *,
    last_round: bool = False,
) -> tuple[Step, ...]:
    """Play the bets through the numbers in order and return a step for each.

    `choices` says for each zero in turn what the player does with a bet. Without a choice the bet waits after the last
    number, and is taken back where another follows. `last_round`: the last number is the last of the table's sitting,
    where a zero refunds what a bet is worth.
    """
    zeros_of: dict[int, int] = {}
    zeros_seen = 0
    steps: list[Step] = []
    for place, number in enumerate(numbers):
        is_last = place == len(numbers) - 1
        chosen = choices[zeros_seen] if number == ZERO and zeros_seen < len(choices) else {}
        results = []
        for index in range(len(bets)) if place == 0 else sorted(zeros_of):
            result = _decide(rulebook, bets[index], number, zeros_of.get(index, 0))
            if result is None:
                zeros_of[index] = zeros_of.get(index, 0) + 1
                result = _at_zero(bets[index], zeros_of[index], chosen.get(index), is_last, is_last and last_round)
            results.append(BetResult(index, *result))
            if results[-1].result != PRISON:
                zeros_of.pop(index, None)
        zeros_seen += number == ZERO
        steps.append(Step(number, tuple(results)))
    return tuple(steps)


_Result = tuple[str, int, int, int | None]


def _decide(rulebook: Rulebook, bet: Bet, number: int, zeros: int) -> _Result | None:
    """What the number makes of the bet by itself; None where the player has a choice."""
    result = spot_results(rulebook, number)[bet.spot.index]
    if result.kind == "zero_choice":
        return None
    if not zeros:
        prize = rulebook.prize_cents(bet.spot, bet.stake_cents) if result.kind == "won" else 0
        return result.kind, prize, returned_cents(result, bet.stake_cents), None
    if result.kind == "won":
        return "freed", 0, freed_cents(bet.stake_cents, zeros), None
    return "lost", 0, 0, None


def _at_zero(bet: Bet, zeros: int, choice: str | None, is_last: bool, is_refunded: bool) -> _Result:
    worth = withdrawable_cents(bet.stake_cents, zeros)
    if is_refunded:
        return "refunded", 0, worth, worth
    if choice == PRISON:
        return PRISON, 0, 0, worth
    if choice == WITHDRAW or not is_last:
        return "withdrawn", 0, worth, worth
    return "waiting", 0, 0, worth
