"""The acts that loosen what protects a player: a limit of the house, an exclusion."""

from collections.abc import Mapping
from typing import Any

from roulette_site.common.four_eyes import Act, Arguments, Decision
from wallets.amounts import format_cents
from wallets.models import COUNTS_TIME, LimitKind, LimitPeriod, Player
from wallets.services.exclusion import lift_exclusion
from wallets.services.limits import InvalidLimit, check_loosening, operator_limit, set_operator_limit

from .arguments import by_two, check_independent_of_player, check_player, player_of

LOOSEN, LIFT = "loosen_operator_limit", "lift_exclusion"


def limit_in_words(kind: LimitKind, value: int | None) -> str:
    """A limit as the people read it who decide on it: euros and cents, or hours and minutes."""
    if value is None:
        return "none"
    if kind not in COUNTS_TIME:
        return f"{format_cents(value)} EUR"
    hours, minutes = divmod(value // 60, 60)
    said = ([f"{hours} h"] if hours else []) + ([f"{minutes} min"] if minutes or not hours else [])
    return " ".join(said)


def arguments_of_loosening(
    *, player: Player, kind: LimitKind, period: LimitPeriod, value: int | None
) -> Mapping[str, Any]:
    """What a request to loosen keeps: also what the limit is now, so that what is decided is what was asked."""
    before = operator_limit(player=player, kind=kind, period=period)
    return {"player": player.pk, "kind": str(kind), "period": str(period), "value": value, "before": before}


def _limit(arguments: Arguments) -> tuple[LimitKind, LimitPeriod]:
    try:
        return LimitKind(str(arguments.get("kind"))), LimitPeriod(str(arguments.get("period")))
    except ValueError:
        raise InvalidLimit("There is no such limit.") from None


def _check_loosening(arguments: Arguments) -> None:
    kind, period = _limit(arguments)
    value, before = arguments.get("value"), arguments.get("before")
    if not all(one is None or type(one) is int for one in (value, before)):
        raise InvalidLimit("A limit is a whole number of cents or seconds, or none.")
    check_loosening(player=player_of(arguments), kind=kind, period=period, value=value, before=before)


def _loosen(arguments: Arguments, decision: Decision) -> object:
    _check_loosening(arguments)
    kind, period = _limit(arguments)
    return set_operator_limit(
        player=player_of(arguments),
        kind=kind,
        period=period,
        value=arguments["value"],
        **by_two(decision),
    )


def _describe_loosening(arguments: Arguments) -> str:
    kind, period = _limit(arguments)
    what = f"the house's limit of {kind.label}, {period.label}, of player {player_of(arguments).handle}"
    before, value = (limit_in_words(kind, arguments.get(name)) for name in ("before", "value"))
    if arguments.get("value") is None:
        return f"Lift {what}: it is {before} now, and there would be none any more."
    return f"Loosen {what}: from {before} to {value}."


def _lift(arguments: Arguments, decision: Decision) -> object:
    return lift_exclusion(
        exclusion_id=arguments["exclusion"],
        **by_two(decision),
    )


def _describe_lifting(arguments: Arguments) -> str:
    return f"End exclusion {arguments['exclusion']} of player {player_of(arguments).handle} before its time."


ACTS = (
    Act(
        name=LOOSEN,
        title="Loosen a limit of the house",
        run=_loosen,
        describe=_describe_loosening,
        may_make="common.request_compliance",
        may_decide="common.decide_compliance",
        check=_check_loosening,
        check_person=check_independent_of_player,
    ),
    Act(
        name=LIFT,
        title="Lift an exclusion",
        run=_lift,
        describe=_describe_lifting,
        may_make="common.request_compliance",
        may_decide="common.decide_compliance",
        check=check_player,
        check_person=check_independent_of_player,
    ),
)
