"""A rulebook: one regulator's basic rules in one edition, as a frozen value that checks itself when it is built."""

import datetime as dt
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from .call_bets import CALL_BETS
from .cloth import SPOTS, Spot, SpotType
from .wheel import WHEEL


class RulebookInvalid(ValueError):
    """The value contradicts itself or the cloth."""


@dataclass(frozen=True)
class ZeroRule:
    """What becomes of even-money stakes at zero.

    `kind` is "lost", "half" (half goes back at once) or "zero_choice" (the player takes half back or leaves the stake
    in prison); of a stake that is decided at once, `numerator`/`denominator` goes back.
    """

    kind: str
    numerator: int
    denominator: int = 1

    @property
    def offers_choice(self) -> bool:
        """Whether the player decides."""
        return self.kind == "zero_choice"


LOST_AT_ZERO = ZeroRule("lost", 0)
HALF_BACK_AT_ZERO = ZeroRule("half", 1, 2)
CHOICE_AT_ZERO = ZeroRule("zero_choice", 0)
ZERO_RULES = (LOST_AT_ZERO, HALF_BACK_AT_ZERO, CHOICE_AT_ZERO)

# What an act may leave to the operator's specific rules, to the director at an opening, or to the player.
OPTIONS = frozenset(
    {
        "split_dozens_offered",
        "split_columns_offered",
        "call_bets",
        "total_limit",
        "stake_step",
        "minimum",
        "minimum_at_opening",
        "lower_maxima",
        "betting_time",
        "chip_value",
    }
)
# As many as a column of rounds and rules holds.
CODE_LETTERS = 20
_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Prize:
    """What a winning stake earns beside going back, as a ratio: 35, or one half."""

    numerator: int
    denominator: int = 1

    def of(self, stake_cents: int) -> int:
        """The prize in cents; half a cent goes up, in the player's favour (reading 5)."""
        return round_up(stake_cents * self.numerator, self.denominator)


def round_up(amount: int, divisor: int) -> int:
    """Divide, and let what remains of a cent go up (reading 5). All rounding of money is this, or the same in SQL."""
    return -(-amount // divisor)


@dataclass(frozen=True, eq=False)
class Rulebook:
    """The basic rules of roulette under one act; raises RulebookInvalid where it does not hold together.

    Two of them are the same if their digests are; as a key in a dictionary each stands for itself.
    """

    code: str
    edition: dt.date
    title: str
    act: str
    article: str
    publication: str
    # The date of entry into force, or the condition for it.
    in_force: str
    lawful_sources: tuple[str, ...]
    prizes: Mapping[SpotType, Prize]
    # The most on one spot, times the table's minimum: a table, since one of them follows no formula.
    maxima: Mapping[SpotType, int]
    zero_rule: ZeroRule
    call_bets: tuple[str, ...]
    options: tuple[str, ...]
    payment_order: tuple[SpotType, ...]

    def __post_init__(self) -> None:
        # What was given as a dictionary or a list could be changed under the digest.
        for field in ("prizes", "maxima"):
            object.__setattr__(self, field, MappingProxyType(dict(getattr(self, field))))
        for field in ("lawful_sources", "call_bets", "options", "payment_order"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        self._check_name()
        self._check_wagers()
        if self.zero_rule not in ZERO_RULES:
            raise RulebookInvalid(f"{self.code}: nobody knows how to pay its rule at zero.")
        for field, known in (("call_bets", CALL_BETS), ("options", OPTIONS), ("lawful_sources", ("drawn", "dealt"))):
            named = getattr(self, field)
            if len(set(named)) != len(named) or not set(named) <= set(known):
                raise RulebookInvalid(f"{self.code}: its {field} name something twice, or something that nobody knows.")
        if self.call_bets and "call_bets" not in self.options:
            raise RulebookInvalid(f"{self.code}: it has call bets, and lets no specific rules offer them.")
        if not self.lawful_sources:
            raise RulebookInvalid(f"{self.code}: the number is drawn or dealt.")

    def _check_name(self) -> None:
        for field in ("code", "title", "act", "article", "publication", "in_force"):
            said = getattr(self, field)
            if not isinstance(said, str) or not said.strip():
                raise RulebookInvalid(f"{self.code!r}: it does not say its {field}.")
        if not _CODE.fullmatch(self.code) or len(self.code) > CODE_LETTERS:
            raise RulebookInvalid(
                f"{self.code!r} is no code: {CODE_LETTERS} small letters, digits and hyphens at most."
            )
        # A datetime is a date to Python, and has another digest.
        if type(self.edition) is not dt.date:
            raise RulebookInvalid(f"{self.code}: its edition is no date.")

    def _check_wagers(self) -> None:
        for field in ("prizes", "maxima", "payment_order"):
            named = list(getattr(self, field))
            if sorted(named) != sorted(SpotType):
                raise RulebookInvalid(f"{self.code}: its {field} do not name every wager once.")
        # In whole numbers and lowest terms, so that one rule has one digest, and money never meets a fraction.
        for wager, prize in self.prizes.items():
            parts = (prize.numerator, prize.denominator)
            if any(type(part) is not int or part < 1 for part in parts) or math.gcd(*parts) != 1:
                raise RulebookInvalid(f"{self.code}: the prize of a {wager} is no ratio in lowest terms.")
        for spot in SPOTS:
            prize = self.prizes[spot.type]
            # Every wager pays as on a wheel without a zero: numbers covered times (prize + 1) is 36.
            if len(spot.pockets) * (prize.numerator + prize.denominator) != (len(WHEEL) - 1) * prize.denominator:
                raise RulebookInvalid(f"{self.code}: the prize of {spot} does not fit its numbers.")
        if any(type(multiple) is not int or multiple < 1 for multiple in self.maxima.values()):
            raise RulebookInvalid(f"{self.code}: a maximum is no whole number, or lies below the minimum.")

    def maximum_cents(self, spot: Spot, minimum_cents: int) -> int:
        """Return the most that one player may have on the spot in a round, at a table with this minimum."""
        return self.maxima[spot.type] * minimum_cents

    def prize_cents(self, spot: Spot, stake_cents: int) -> int:
        """Return the prize of a winning stake; the stake goes back beside it."""
        return self.prizes[spot.type].of(stake_cents)

    def payment_rank(self, spot: Spot) -> int:
        """Return the place of the spot's wager in the order in which winning bets are paid, from 0."""
        return self.payment_order.index(spot.type)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of all that the rulebook says; stored with every round."""
        return hashlib.sha256(json.dumps(self.as_json(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """All that the rulebook says, wheel and cloth included, as JSON values."""
        return {
            "code": self.code,
            "edition": self.edition.isoformat(),
            "title": self.title,
            "source": {
                "act": self.act,
                "article": self.article,
                "publication": self.publication,
                "in_force": self.in_force,
            },
            "lawful_sources": list(self.lawful_sources),
            "wheel": list(WHEEL),
            "spots": [[str(spot.type), list(spot.on), list(spot.numbers)] for spot in SPOTS],
            "prizes": {str(wager): [prize.numerator, prize.denominator] for wager, prize in self.prizes.items()},
            "maxima": {str(wager): multiple for wager, multiple in self.maxima.items()},
            "zero": [self.zero_rule.kind, self.zero_rule.numerator, self.zero_rule.denominator],
            "call_bets": list(self.call_bets),
            "options": list(self.options),
            "payment_order": [str(wager) for wager in self.payment_order],
        }
