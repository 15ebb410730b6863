"""What the published rules say, for a page, derived from the engine's tables and the version's choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tables.models import SpecificRules, Table
from tables.roulette.call_bets import SERIES, CallBet
from tables.roulette.cloth import SPOTS, Spot, SpotType
from tables.roulette.rulebook import Rulebook
from tables.roulette.settlement import spot_results
from tables.roulette.wheel import WHEEL


@dataclass(frozen=True)
class WagerRow:
    """One kind of wager: how many numbers it covers, what it pays, how much may stand on it."""

    name: str
    spots: int
    numbers: int
    prize: Fraction
    maximum: int
    maxima_cents: Sequence[int]
    return_per_cent: Fraction
    offered: bool


@dataclass(frozen=True)
class CallBetRow:
    """A call bet and its parts for one unit."""

    name: str
    units: int
    parts: Sequence[tuple[Spot, int]]


@dataclass(frozen=True)
class RulesPage:
    """Everything a player may want to know before he bets."""

    rules: SpecificRules
    rulebook: Rulebook
    tables: Sequence[Table]
    wagers: Sequence[WagerRow]
    call_bets: Sequence[CallBetRow]
    other_call_bets: Sequence[str]


def rules_page(rules: SpecificRules) -> RulesPage:
    """Read a version of the specific rules with its rulebook and the tables that play under it."""
    rulebook = rules.rulebook
    tables = list(Table.objects.filter(rules=rules).order_by("name"))
    allowed = [name for name in rulebook.call_bets if name in rules.call_bets]
    return RulesPage(
        rules=rules,
        rulebook=rulebook,
        tables=tables,
        wagers=[_wager(rules, rulebook, tables, wager) for wager in SpotType],
        call_bets=[_call(name) for name in allowed if name in SERIES],
        other_call_bets=[name for name in allowed if name not in SERIES],
    )


def _wager(rules: SpecificRules, rulebook: Rulebook, tables: Sequence[Table], wager: SpotType) -> WagerRow:
    spots = [spot for spot in SPOTS if spot.type is wager]
    first = spots[0]
    prize = rulebook.prizes[wager]
    return WagerRow(
        name=str(wager).replace("_", " "),
        spots=len(spots),
        numbers=len(first.pockets),
        prize=Fraction(prize.numerator, prize.denominator),
        maximum=rulebook.maxima[wager],
        maxima_cents=[rulebook.maximum_cents(first, table.minimum_cents) for table in tables],
        return_per_cent=_expected_return(rulebook, first) * 100,
        offered=rules.options.offers(first),
    )


def _expected_return(rulebook: Rulebook, spot: Spot) -> Fraction:
    """The share of a stake that goes back on average. Half back counts where the player may choose it."""
    total = Fraction(0)
    for number in WHEEL:
        result = spot_results(rulebook, number)[spot.index]
        half = result.kind == "zero_choice"
        total += Fraction(1, 2) if half else Fraction(result.numerator, result.denominator)
    return total / len(WHEEL)


def _call(name: str) -> CallBetRow:
    parts = [(bet.spot, bet.stake_cents) for bet in CallBet(name, 1).parts]
    return CallBetRow(name.replace("_", " "), sum(units for _, units in parts), parts)
