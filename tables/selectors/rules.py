"""What the published rules say, for a page, derived from the engine's tables and the version's choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tables.models import SpecificRules, Table
from tables.roulette.call_bets import FINAL, NEIGHBOUR_COUNTS, NEIGHBOURS, SERIES, CallBet
from tables.roulette.cloth import SPOTS, Spot, SpotType
from tables.roulette.exposure import expected_return
from tables.roulette.rulebook import Prize, Rulebook, ZeroRule
from tables.roulette.settlement import ZERO
from tables.roulette.wheel import WHEEL


@dataclass(frozen=True)
class WagerRow:
    """One kind of wager: how many numbers it covers, what it pays, how much may stand on it."""

    wager: SpotType
    spots: int
    numbers: int
    prize: Prize
    maximum: int
    # At each table under the rules, in the order of RulesPage.tables.
    maxima_cents: Sequence[int]
    expected_return: Fraction
    offered: bool

    @property
    def return_per_cent(self) -> Fraction:
        return self.expected_return * 100


@dataclass(frozen=True)
class SeriesRow:
    """A call bet of fixed parts: how many units stand on which spot."""

    name: str
    units: int
    numbers: Sequence[int]
    parts: Sequence[tuple[Spot, int]]


@dataclass(frozen=True)
class FinalRow:
    """The numbers that end in one digit."""

    digit: int
    numbers: Sequence[int]


@dataclass(frozen=True)
class RulesPage:
    """Everything a player may want to know before he bets."""

    rules: SpecificRules
    rulebook: Rulebook
    tables: Sequence[Table]
    wagers: Sequence[WagerRow]
    series: Sequence[SeriesRow]
    # How many neighbours a number can be called with; empty where that is not taken.
    neighbour_counts: Sequence[int]
    finals: Sequence[FinalRow]
    # Spots that win with the zero.
    zero_spots: Sequence[Spot]
    wheel: Sequence[int] = WHEEL

    @property
    def zero_rule(self) -> ZeroRule:
        return self.rulebook.zero_rule

    @property
    def takes_call_bets(self) -> bool:
        return bool(self.series or self.neighbour_counts or self.finals)


def rules_page(rules: SpecificRules) -> RulesPage:
    """Read a version of the specific rules with its rulebook and the tables that play under it."""
    rulebook = rules.rulebook
    tables = list(Table.objects.filter(rules=rules).order_by("name", "id"))
    allowed = [name for name in rulebook.call_bets if name in rules.call_bets]
    return RulesPage(
        rules=rules,
        rulebook=rulebook,
        tables=tables,
        wagers=[_wager(rules, rulebook, tables, wager) for wager in SpotType],
        series=[_series(name) for name in allowed if name in SERIES],
        neighbour_counts=NEIGHBOUR_COUNTS if NEIGHBOURS in allowed else (),
        finals=[_final(digit) for digit in range(10)] if FINAL in allowed else (),
        zero_spots=[spot for spot in SPOTS if ZERO in spot.pockets],
    )


def _wager(rules: SpecificRules, rulebook: Rulebook, tables: Sequence[Table], wager: SpotType) -> WagerRow:
    spots = [spot for spot in SPOTS if spot.type is wager]
    first = spots[0]
    return WagerRow(
        wager=wager,
        spots=len(spots),
        numbers=len(first.pockets),
        prize=rulebook.prizes[wager],
        maximum=rulebook.maxima[wager],
        maxima_cents=[rulebook.maximum_cents(first, table.minimum_cents) for table in tables],
        expected_return=expected_return(rulebook, first),
        offered=rules.options.offers(first),
    )


def _series(name: str) -> SeriesRow:
    parts = CallBet(name, 1).parts
    return SeriesRow(
        name=name,
        units=sum(bet.stake_cents for bet in parts),
        numbers=[number for number in WHEEL if any(number in bet.spot.pockets for bet in parts)],
        parts=[(bet.spot, bet.stake_cents) for bet in parts],
    )


def _final(digit: int) -> FinalRow:
    parts = CallBet(FINAL, 1, {"digit": digit}).parts
    return FinalRow(digit, [number for bet in parts for number in bet.spot.numbers])
