"""The acts on players that one person asks for and another decides (roulette_site/common/four_eyes.py)."""

from typing import Any

from roulette_site.common.four_eyes import Act, Arguments, Decision, register
from wallets.amounts import format_cents
from wallets.models import LimitKind, LimitPeriod, Player
from wallets.services.adjustments import CAUSES, InvalidAdjustment, adjust_balance, check_adjustment, check_cap
from wallets.services.exclusion import lift_exclusion
from wallets.services.limits import set_operator_limit

ADJUST, LOOSEN, LIFT = "adjust_balance", "loosen_operator_limit", "lift_exclusion"


def _player(arguments: Arguments) -> Player:
    player = Player.objects.filter(pk=arguments.get("player") or 0).first()
    if player is None:
        raise InvalidAdjustment("There is no such player.")
    return player


def _check_player(arguments: Arguments) -> None:
    _player(arguments)


def _check_adjustment(arguments: Arguments) -> None:
    _player(arguments)
    check_adjustment(
        direction=str(arguments.get("direction")),
        amount_cents=arguments.get("amount_cents", 0),
        cause=str(arguments.get("cause")),
    )


def _check_cap(arguments: Arguments, user: Any) -> None:
    check_cap(amount_cents=arguments["amount_cents"], roles=set(user.groups.values_list("name", flat=True)))


def _adjust(arguments: Arguments, decision: Decision) -> object:
    return adjust_balance(
        player=_player(arguments),
        direction=arguments["direction"],
        amount_cents=arguments["amount_cents"],
        cause=arguments["cause"],
        reason=decision.reason,
        evidence=decision.evidence,
        actor=decision.maker,
        second_actor=decision.decider,
        at=decision.at,
        key=f"request:{decision.request_id}",
    )


def _describe_adjustment(arguments: Arguments) -> str:
    way = "Give" if arguments["direction"] == "credit" else "Take"
    preposition = "to" if way == "Give" else "from"
    amount = format_cents(arguments["amount_cents"])
    return f"{way} {amount} EUR {preposition} player {_player(arguments).handle}: {CAUSES[arguments['cause']]}."


def _loosen(arguments: Arguments, decision: Decision) -> object:
    return set_operator_limit(
        player=_player(arguments),
        kind=LimitKind(arguments["kind"]),
        period=LimitPeriod(arguments["period"]),
        value=arguments["value"],
        reason=decision.reason,
        actor=decision.maker,
        second_actor=decision.decider,
        at=decision.at,
    )


def _describe_loosening(arguments: Arguments) -> str:
    value = arguments["value"]
    kind, period = LimitKind(arguments["kind"]), LimitPeriod(arguments["period"])
    to = "lift it" if value is None else f"set it to {value}"
    return f"The house's limit of {kind.label} over {period.label} of player {_player(arguments).handle}: {to}."


def _lift(arguments: Arguments, decision: Decision) -> object:
    return lift_exclusion(
        exclusion_id=arguments["exclusion"],
        reason=decision.reason,
        actor=decision.maker,
        second_actor=decision.decider,
        at=decision.at,
    )


def _describe_lifting(arguments: Arguments) -> str:
    return f"End exclusion {arguments['exclusion']} of player {_player(arguments).handle} before its time."


def register_acts() -> None:
    """Make them known; called when the app is ready."""
    register(
        Act(
            name=ADJUST,
            title="Adjust a balance",
            run=_adjust,
            describe=_describe_adjustment,
            may_make="common.request_finance",
            may_decide="common.decide_finance",
            check=_check_adjustment,
            check_cap=_check_cap,
        )
    )
    for name, title, run, describe in (
        (LOOSEN, "Loosen a limit of the house", _loosen, _describe_loosening),
        (LIFT, "Lift an exclusion", _lift, _describe_lifting),
    ):
        register(
            Act(
                name=name,
                title=title,
                run=run,
                describe=describe,
                may_make="common.request_compliance",
                may_decide="common.decide_compliance",
                check=_check_player,
            )
        )
