"""Reading slips: from JSON values, as the API and the settle command take them, to bets on the cloth. Pure.

Nothing is guessed and nothing is cut: what cannot be read is named, for every bet of the slip.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tables.roulette.bets import Bet
from tables.roulette.call_bets import FINAL, NEIGHBOURS, CallBet, InvalidCall
from tables.roulette.cloth import InvalidSpot, Spot, SpotType, find_spot
from tables.roulette.limits import Breach, Options, find_breaches, find_breaches_of_half
from tables.roulette.rulebook import Rulebook
from wallets.amounts import InvalidAmount, parse_cents

_BET_KEYS = frozenset({"type", "on", "stake"})
_PARAMETERS: Mapping[str, tuple[str, ...]] = {NEIGHBOURS: ("number", "neighbours"), FINAL: ("digit",)}
_UNREADABLE = {"number": "invalid_number", "neighbours": "invalid_neighbours", "digit": "invalid_digit"}
# Dozens and columns are named by one number, not by a list.
_SINGLE = frozenset({SpotType.DOZEN, SpotType.COLUMN})


@dataclass(frozen=True)
class Half:
    """What could be read of an item that is no bet: its spot, its stake, or neither."""

    item: int
    spot: Spot | None = None
    stake_cents: int | None = None


@dataclass(frozen=True)
class ReadSlip:
    """A slip as it was read: the bets on the cloth, call bets as their parts, and where each comes from."""

    bets: tuple[Bet, ...]
    # For each bet the index of the item it was read from, and of the call bet that it is a part of.
    items: tuple[int, ...]
    call_ordinals: tuple[int | None, ...]
    calls: tuple[CallBet, ...]
    # What could not be read, and of the same items what could.
    unreadable: tuple[Breach, ...]
    halves: tuple[Half, ...]

    @property
    def total_cents(self) -> int:
        return sum(bet.stake_cents for bet in self.bets)

    def find_breaches(
        self, rulebook: Rulebook, options: Options, minimum_cents: int | None, placed: Iterable[Bet] = ()
    ) -> tuple[Breach, ...]:
        """Return everything that stands against the slip, item by item, and what is the whole slip's last."""
        breaches = list(self.unreadable)
        for half in self.halves:
            against = find_breaches_of_half(options, minimum_cents, spot=half.spot, stake_cents=half.stake_cents)
            breaches += [replace(breach, bet=half.item) for breach in against]
        breaches += self._of_items(find_breaches(rulebook, options, minimum_cents, self.bets, placed))
        breaches.sort(key=lambda breach: (breach.bet is None, breach.bet or 0))
        return tuple(breaches)

    def _of_items(self, breaches: Iterable[Breach]) -> Iterable[Breach]:
        """Turn breaches of bets into breaches of items: parts of one call that break one rule are named once."""
        found: dict[tuple[int | None, str], Breach] = {}
        for breach in breaches:
            item = None if breach.bet is None else self.items[breach.bet]
            found.setdefault((item, breach.reason), replace(breach, bet=item))
        return found.values()


def read_slip(rulebook: Rulebook, options: Options, items: Sequence[Any]) -> ReadSlip:
    """Read bets and call bets; what cannot be read, or is a call that is not offered, is in `unreadable`."""
    bets: list[Bet] = []
    origins: list[int] = []
    ordinals: list[int | None] = []
    calls: list[CallBet] = []
    unreadable: list[Breach] = []
    halves: list[Half] = []
    for index, item in enumerate(items):
        try:
            if isinstance(item, Mapping) and "call" in item:
                call = _read_call(rulebook, options, item)
                parts: Sequence[Bet] = call.parts
                ordinal = len(calls)
                calls.append(call)
            else:
                parts, ordinal = (_read_bet(item),), None
        except _Unreadable as error:
            unreadable += [Breach(index, reason, detail=sentence) for reason, sentence in error.faults]
            halves.append(Half(index, error.spot, error.stake_cents))
            continue
        bets += parts
        origins += [index] * len(parts)
        ordinals += [ordinal] * len(parts)
    return ReadSlip(tuple(bets), tuple(origins), tuple(ordinals), tuple(calls), tuple(unreadable), tuple(halves))


class _Unreadable(ValueError):
    """An item that is no bet; `faults` names everything that is wrong with it, as reason and sentence."""

    def __init__(self, *faults: tuple[str, str], spot: Spot | None = None, stake_cents: int | None = None) -> None:
        super().__init__("; ".join(sentence for _, sentence in faults))
        self.faults = faults
        self.spot = spot
        self.stake_cents = stake_cents


def _read_bet(item: Any) -> Bet:
    if not isinstance(item, Mapping):
        sentence = "A bet is an object with type, on and stake."
        raise _Unreadable(("invalid_spot", sentence), ("invalid_stake", sentence))
    faults: list[tuple[str, str]] = []
    spot, stake = None, None
    try:
        spot = _read_spot(item)
    except InvalidSpot as error:
        faults.append(("invalid_spot", str(error)))
    try:
        stake = _read_stake(item.get("stake"))
    except InvalidAmount as error:
        faults.append(("invalid_stake", str(error)))
    if spot is None or stake is None:
        raise _Unreadable(*faults, spot=spot, stake_cents=stake)
    return Bet(spot, stake)


def _read_spot(item: Mapping[str, Any]) -> Spot:
    if not item.keys() <= _BET_KEYS:
        raise InvalidSpot("A bet has a type, on and a stake, and nothing else.")
    wager, on = item.get("type"), item.get("on")
    if wager is not None and not isinstance(wager, str):
        raise InvalidSpot("The type of a bet is text.")
    if wager in _SINGLE and type(on) is int:
        on = [on]
    if on is None:
        on = []
    # bool is an int to Python, and True would be the number 1.
    if not isinstance(on, list | tuple) or any(type(number) is not int for number in on):
        raise InvalidSpot("The numbers of a bet are a list of whole numbers.")
    return find_spot(wager, on)


def _read_stake(text: Any) -> int:
    cents = parse_cents(text)
    if cents <= 0:
        raise InvalidAmount("A stake is more than nothing.")
    return cents


def _read_call(rulebook: Rulebook, options: Options, item: Mapping[str, Any]) -> CallBet:
    name = item["call"]
    faults: list[tuple[str, str]] = []
    unit = None
    try:
        unit = _read_stake(item.get("unit"))
    except InvalidAmount as error:
        faults.append(("invalid_stake", str(error)))
    offered = rulebook.call_bets if options.call_bets is None else options.call_bets
    if not isinstance(name, str) or name not in rulebook.call_bets or name not in offered:
        # What is not taken has no parts: of the rest only the unit says something.
        raise _Unreadable(("not_offered", "The table does not take this call bet."), *faults, stake_cents=unit)
    named = _PARAMETERS.get(name, ())
    unread = [key for key in named if type(item.get(key)) is not int]
    of_call = [(_UNREADABLE[key], f"A call bet's {key}: a whole number is needed.") for key in unread]
    if not item.keys() <= {"call", "unit", *named}:
        of_call.append(("invalid_spot", "The call bet has a part that it does not know."))
    call = CallBet(name, unit or 0, {key: item[key] for key in named if key not in unread})
    try:
        _ = call.parts
    except InvalidCall as error:
        # A number that could not be read is named already.
        known = {reason for reason, _ in of_call}
        of_call += [fault for fault in error.faults if fault[0] not in known]
    if of_call or faults:
        raise _Unreadable(*of_call, *faults, stake_cents=unit)
    return call


def as_json(spot: Spot) -> dict[str, Any]:
    """Write a spot as a bet names it: type, and on where there is one."""
    if not spot.on:
        return {"type": str(spot.type)}
    return {"type": str(spot.type), "on": spot.on[0] if spot.type in _SINGLE else list(spot.on)}
