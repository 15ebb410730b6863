"""The settle command's and the API's requests: one JSON object in, one out. Pure; needs no database."""

from collections.abc import Mapping, Sequence
from typing import Any

from roulette_site.common.strict_json import InvalidJson, read_json
from tables.roulette.bets import Bet
from tables.roulette.call_bets import CALL_BETS
from tables.roulette.cloth import find_spot
from tables.roulette.limits import Breach, Options
from tables.roulette.play import CHOICES, Step, play
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import UnknownRulebook, find_rulebook
from tables.roulette.wheel import WHEEL
from tables.slips import ReadSlip, as_json, read_slip
from wallets.amounts import InvalidAmount, format_cents, parse_cents

_KEYS = frozenset(
    {"rulebook", "bets", "minimum", "placed", "options", "chip_value", "numbers", "choices", "last_round"}
)
_FLAGS = ("split_dozens_offered", "split_columns_offered", "split_bets_offered")
_OPTIONS = frozenset({*_FLAGS, "total_limit", "stake_step", "call_bets"})

# What holds where a request says nothing: made once, since every line asks for it.
_NO_OPTIONS = Options()

Answer = dict[str, Any]
# A bet in prison lives on from number to number: so many results are answered at most.
MOST_RESULTS = 100_000


class InvalidRequest(ValueError):
    """The request is no request: it has another shape, or names no rulebook."""


def refuse_request(detail: str) -> Answer:
    """The answer to what is no request."""
    return {"accepted": False, "breaches": [{"bet": None, "reason": "invalid_request", "detail": detail}]}


def answer_text(text: str | bytes) -> Answer:
    """Answer a request given as JSON text; whatever is wrong with it is said, never raised."""
    try:
        return answer(read_request(text))
    except InvalidRequest as error:
        return refuse_request(str(error))


def read_request(text: str | bytes) -> Any:
    """Read a request's JSON; raises InvalidRequest."""
    try:
        return read_json(text)
    except InvalidJson as error:
        raise InvalidRequest(f"The request is not JSON: {error}") from error


def answer(request: Any) -> Answer:
    """Answer a request: a quote, or with `numbers` what becomes of the bets. Raises InvalidRequest."""
    if not isinstance(request, dict):
        raise InvalidRequest("A request is a JSON object.")
    if unknown := request.keys() - _KEYS:
        raise InvalidRequest(f"A request has no {', '.join(sorted(map(repr, unknown)))}.")
    rulebook = _rulebook(request)
    options = _options(request.get("options"))
    minimum = _amount(request, "minimum")
    items = _list(request, "bets")
    slip = read_slip(rulebook, options, items)
    placed = _placed(rulebook, request)
    numbers = request.get("numbers")
    breaches = [
        *slip.find_breaches(rulebook, options, minimum, placed),
        *([] if items or "chip_value" in request else [Breach(None, "empty_slip")]),
        *_chip_value_breaches(rulebook, minimum, request),
        *_number_breaches(numbers),
    ]
    if breaches:
        return {"accepted": False, "breaches": [breach_as_json(breach) for breach in breaches]}
    if rulebook.zero_rule.offers_choice and len(slip.bets) * len(numbers or ()) > MOST_RESULTS:
        raise InvalidRequest(f"Bets times numbers come to at most {MOST_RESULTS}.")
    choices = _choices(request, len(slip.bets))
    last_round = request.get("last_round", False)
    if type(last_round) is not bool:
        raise InvalidRequest("last_round is true or false.")
    return _accepted(rulebook, slip, minimum, numbers, choices, last_round)


def _accepted(
    rulebook: Rulebook,
    slip: ReadSlip,
    minimum: int | None,
    numbers: Sequence[int] | None,
    choices: Sequence[Mapping[int, str]],
    last_round: bool,
) -> Answer:
    quote: Answer = {
        "accepted": True,
        "staked": format_cents(slip.total_cents),
        "bets": [_bet_as_json(rulebook, bet, minimum) for bet in slip.bets],
    }
    if numbers is None:
        return quote
    steps = play(rulebook, slip.bets, numbers, choices, last_round=last_round)
    returned = sum(step.returned_cents for step in steps)
    return quote | {
        "steps": [_step_as_json(step) for step in steps],
        "returned": format_cents(returned),
        "net": format_cents(returned - slip.total_cents),
    }


def _bet_as_json(rulebook: Rulebook, bet: Bet, minimum: int | None) -> dict[str, Any]:
    written = as_json(bet.spot) | {"stake": format_cents(bet.stake_cents), "numbers": list(bet.spot.numbers)}
    if minimum is not None:
        written["maximum"] = format_cents(rulebook.maximum_cents(bet.spot, minimum))
    return written


def _step_as_json(step: Step) -> dict[str, Any]:
    bets = []
    for one in step.results:
        written: dict[str, Any] = {
            "bet": one.bet,
            "result": one.result,
            "prize": format_cents(one.prize_cents),
            "returned": format_cents(one.returned_cents),
        }
        if one.may_withdraw_cents is not None:
            written["may_withdraw"] = format_cents(one.may_withdraw_cents)
        bets.append(written)
    return {"number": step.number, "bets": bets, "returned": format_cents(step.returned_cents)}


def breach_as_json(breach: Breach) -> dict[str, Any]:
    """Write a breach as the answer names it: minimum and maximum where the spot has them, detail where there is one."""
    written: dict[str, Any] = {"bet": breach.bet, "reason": breach.reason}
    if breach.minimum_cents is not None:
        written["minimum"] = format_cents(breach.minimum_cents)
    if breach.maximum_cents is not None:
        written["maximum"] = format_cents(breach.maximum_cents)
    if breach.detail:
        written["detail"] = breach.detail
    return written


def _rulebook(request: Mapping[str, Any]) -> Rulebook:
    code = request.get("rulebook")
    if not isinstance(code, str):
        raise InvalidRequest("The request names no rulebook.")
    try:
        return find_rulebook(code)
    except UnknownRulebook as error:
        raise InvalidRequest(str(error)) from error


def _list(request: Mapping[str, Any], key: str) -> list[Any]:
    value = request.get(key)
    if not isinstance(value, list):
        raise InvalidRequest(f"{key} is a list.")
    return value


def _placed(rulebook: Rulebook, request: Mapping[str, Any]) -> tuple[Bet, ...]:
    """The bets that the player has in the round already."""
    if "placed" not in request:
        return ()
    placed = read_slip(rulebook, _NO_OPTIONS, _list(request, "placed"))
    if placed.unreadable:
        raise InvalidRequest(f"placed: {placed.unreadable[0].detail}")
    return placed.bets


def _amount(given: Mapping[str, Any], key: str) -> int | None:
    if key not in given:
        return None
    try:
        cents = parse_cents(given[key])
    except InvalidAmount as error:
        raise InvalidRequest(f"{key}: {error}") from error
    if cents <= 0:
        raise InvalidRequest(f"{key} is more than nothing.")
    return cents


def _options(given: Any) -> Options:
    if given is None:
        return _NO_OPTIONS
    if not isinstance(given, dict) or given.keys() - _OPTIONS:
        raise InvalidRequest(f"options is an object with some of {', '.join(sorted(_OPTIONS))}.")
    if any(type(given[flag]) is not bool for flag in _FLAGS if flag in given):
        raise InvalidRequest("Whether a bet is offered is true or false.")
    both: bool = given.get("split_bets_offered", True)
    dozens: bool = given.get("split_dozens_offered", both)
    columns: bool = given.get("split_columns_offered", both)
    names = given.get("call_bets")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise InvalidRequest("call_bets is a list of names.")
    if unknown := set(names or ()) - set(CALL_BETS):
        raise InvalidRequest(f"call_bets: there is no {', '.join(sorted(map(repr, unknown)))}.")
    return Options(
        split_dozens_offered=dozens,
        split_columns_offered=columns,
        total_limit_cents=_amount(given, "total_limit"),
        stake_step_cents=_amount(given, "stake_step") or 1,
        call_bets=None if names is None else frozenset(names),
    )


def _chip_value_breaches(rulebook: Rulebook, minimum: int | None, request: Mapping[str, Any]) -> list[Breach]:
    """A player gives his colour a value between the minimum and the maximum on a straight (article 57-12)."""
    value = _amount(request, "chip_value")
    if value is None:
        return []
    if minimum is None:
        raise InvalidRequest("chip_value needs the table's minimum.")
    if "chip_value" not in rulebook.options:
        return [Breach(None, "not_offered", detail="Chips have the value that stands on them.")]
    maximum = rulebook.maximum_cents(find_spot("straight", [0]), minimum)
    if minimum <= value <= maximum:
        return []
    return [Breach(None, "chip_value_out_of_range", minimum, maximum)]


def _number_breaches(numbers: Any) -> list[Breach]:
    if numbers is None:
        return []
    if not isinstance(numbers, list):
        raise InvalidRequest("numbers is a list.")
    if not numbers or any(type(number) is not int or number not in WHEEL for number in numbers):
        return [Breach(None, "invalid_number", detail="A winning number is a whole number from 0 to 36.")]
    return []


def _choices(request: Mapping[str, Any], bets: int) -> list[Mapping[int, str]]:
    """For each zero in turn, what is done with each bet."""
    if "choices" not in request:
        return []
    by_text = {str(index): index for index in range(bets)}
    # A word for all bets is one table, however many zeros share it: written out for each, a request of 80 kB took 7 s
    # and 550 MB.
    for_all = {choice: dict.fromkeys(range(bets), choice) for choice in CHOICES}
    choices: list[Mapping[int, str]] = []
    for given in _list(request, "choices"):
        if isinstance(given, str) and given in for_all:
            choices.append(for_all[given])
            continue
        if not isinstance(given, dict) or any(choice not in CHOICES for choice in given.values()):
            raise InvalidRequest("A choice is prison or withdraw, for all bets or by index.")
        if not given.keys() <= by_text.keys():
            raise InvalidRequest("A choice names a bet that there is not.")
        choices.append({by_text[index]: choice for index, choice in given.items()})
    return choices
