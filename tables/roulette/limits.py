"""What may be staked: minimum, maxima, stake step and total (Portuguese rules 11 to 13; French maxima et minima)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .bets import Bet
from .cloth import Spot, SpotType
from .rulebook import Rulebook


@dataclass(frozen=True)
class Options:
    """The operator's choices within a rulebook, from his specific rules; `call_bets` None: all of the rulebook's."""

    split_dozens_offered: bool = True
    split_columns_offered: bool = True
    total_limit_cents: int | None = None
    stake_step_cents: int = 1
    call_bets: frozenset[str] | None = None

    def offers(self, spot: Spot) -> bool:
        """Whether the operator takes bets on the spot (rule 13)."""
        if spot.type is SpotType.SPLIT_DOZEN:
            return self.split_dozens_offered
        if spot.type is SpotType.SPLIT_COLUMN:
            return self.split_columns_offered
        return True


@dataclass(frozen=True)
class Breach:
    """One rule that a slip breaks. `bet` is the index of the bet, None where the breach is the whole slip's."""

    bet: int | None
    reason: str
    minimum_cents: int | None = None
    maximum_cents: int | None = None
    detail: str = ""


def find_breaches(
    rulebook: Rulebook,
    options: Options,
    minimum_cents: int | None,
    bets: Sequence[Bet],
    placed: Iterable[Bet] = (),
) -> tuple[Breach, ...]:
    """Return everything that stands against the bets, in their order; nothing if they may be placed.

    Without a minimum there is no maximum either. The maximum holds per spot over every chip of the
    player in the round, those already `placed` included (reading 3).
    """
    on_spot = Counter[int]()
    for bet in (*placed, *bets):
        on_spot[bet.spot.index] += bet.stake_cents
    breaches = []
    for index, bet in enumerate(bets):
        maximum = None if minimum_cents is None else rulebook.maximum_cents(bet.spot, minimum_cents)
        reasons = [*_against_spot(options, bet.spot), *_against_stake(options, minimum_cents, bet.stake_cents)]
        if maximum is not None and on_spot[bet.spot.index] > maximum:
            reasons.append("above_maximum")
        breaches += [Breach(index, reason, minimum_cents, maximum) for reason in reasons]
    if options.total_limit_cents is not None and on_spot.total() > options.total_limit_cents:
        breaches.append(Breach(None, "above_total_limit", None, options.total_limit_cents))
    return tuple(breaches)


def find_breaches_of_half(
    options: Options, minimum_cents: int | None, *, spot: Spot | None, stake_cents: int | None
) -> tuple[Breach, ...]:
    """Return what stands against a bet of which only the spot or only the stake can be read."""
    reasons: list[str] = []
    if spot is not None:
        reasons += _against_spot(options, spot)
    if stake_cents is not None:
        reasons += _against_stake(options, minimum_cents, stake_cents)
    return tuple(Breach(None, reason, minimum_cents) for reason in reasons)


def _against_spot(options: Options, spot: Spot) -> list[str]:
    return [] if options.offers(spot) else ["not_offered"]


def _against_stake(options: Options, minimum_cents: int | None, stake_cents: int) -> list[str]:
    reasons = []
    if minimum_cents is not None and stake_cents < minimum_cents:
        reasons.append("below_minimum")
    if stake_cents % options.stake_step_cents:
        reasons.append("off_step")
    return reasons
