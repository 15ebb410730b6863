"""The acts on balances: an adjustment, a correction, what is owed, and what waits in suspense."""

import datetime as dt
from typing import Any

from roulette_site.common.audit import actor_of
from roulette_site.common.four_eyes import Act, Arguments, Decision
from wallets.amounts import format_cents
from wallets.models import DecidedAct, Reason, Transfer, Unit
from wallets.selectors.receivables import owed_by
from wallets.selectors.suspense import deposit_named_by
from wallets.services.adjustments import CAUSES, adjust_balance, check_adjustment
from wallets.services.caps import Part, check_cap, check_independent
from wallets.services.corrections import MoreThanOwed
from wallets.services.receivables import take_owed
from wallets.services.staff_corrections import check_correction, correct_by_staff, find_correctable
from wallets.services.suspense import assign_to_player, find_deposit, find_suspended, send_back

from .arguments import by_two, check_independent_of_player, player_of

ADJUST, CORRECT, RELEASE = DecidedAct.ADJUST.value, DecidedAct.CORRECT.value, DecidedAct.RELEASE.value
TAKE_OWED = "take_owed"


def _check_adjustment(arguments: Arguments) -> None:
    player_of(arguments)
    check_adjustment(
        direction=str(arguments.get("direction")),
        amount_cents=arguments.get("amount_cents", 0),
        cause=str(arguments.get("cause")),
    )


def _check_maker(arguments: Arguments, user: Any, at: dt.datetime) -> None:
    check_cap(actor=actor_of(user), amount_cents=arguments["amount_cents"], part=Part.MAKES, at=at)


def _check_approver(arguments: Arguments, user: Any, at: dt.datetime) -> None:
    check_cap(actor=actor_of(user), amount_cents=arguments["amount_cents"], part=Part.DECIDES, at=at)


def _adjust(arguments: Arguments, decision: Decision) -> object:
    return adjust_balance(
        player=player_of(arguments),
        direction=arguments["direction"],
        amount_cents=arguments["amount_cents"],
        cause=arguments["cause"],
        **by_two(decision),
        evidence=decision.evidence,
        request_id=decision.request_id,
    )


def _describe_adjustment(arguments: Arguments) -> str:
    way = "Give" if arguments["direction"] == "credit" else "Take"
    preposition = "to" if way == "Give" else "from"
    amount = format_cents(arguments["amount_cents"])
    return f"{way} {amount} EUR {preposition} player {player_of(arguments).handle}: {CAUSES[arguments['cause']]}."


def _check_owed(arguments: Arguments) -> None:
    cents = arguments.get("amount_cents", 0)
    owed = sum(one.owed_cents for one in owed_by(player_of(arguments)) if one.unit == Unit.EUR)
    if type(cents) is not int or not 0 < cents <= owed:
        raise MoreThanOwed("The amount is more than what is owed, or nothing.", owed_cents=owed)


def _take_owed(arguments: Arguments, decision: Decision) -> object:
    return take_owed(
        player=player_of(arguments),
        unit=Unit.EUR,
        amount_cents=arguments["amount_cents"],
        **by_two(decision),
        consent=decision.evidence,
        key=f"request:{decision.request_id}",
    )


def _describe_owed(arguments: Arguments) -> str:
    amount = format_cents(arguments["amount_cents"])
    return f"Take {amount} EUR of what player {player_of(arguments).handle} owes from his wallet, with his consent."


def _check_correction(arguments: Arguments) -> None:
    check_correction(
        player=player_of(arguments),
        transfer_id=int(arguments.get("transfer") or 0),
        amount_cents=arguments.get("amount_cents", 0),
    )


def _correct(arguments: Arguments, decision: Decision) -> object:
    return correct_by_staff(
        player=player_of(arguments),
        transfer_id=arguments["transfer"],
        amount_cents=arguments["amount_cents"],
        **by_two(decision),
        evidence=decision.evidence,
        request_id=decision.request_id,
    )


def _describe_correction(arguments: Arguments) -> str:
    first = find_correctable(player=player_of(arguments), transfer_id=arguments["transfer"])
    amount = format_cents(arguments["amount_cents"])
    of_what = f"transfer {first.pk}, the {Reason(first.reason).label} of {format_cents(first.amount_cents)} EUR"
    way = "taking it from" if first.credit.player_id is not None else "giving it to"
    return f"Undo {amount} EUR of {of_what}, {way} player {player_of(arguments).handle}."


def _check_release(arguments: Arguments) -> None:
    find_suspended(int(arguments.get("transfer") or 0))
    if arguments.get("player") is not None and arguments.get("deposit") is not None:
        find_deposit(player=player_of(arguments), deposit_id=int(arguments["deposit"]))


def _check_assigned_player(arguments: Arguments, user: Any) -> None:
    """Nobody has to do with money of his own, whether it is given to him or goes back."""
    if arguments.get("player") is not None:
        check_independent_of_player(arguments, user)
    waiting = deposit_named_by(Transfer.objects.get(pk=arguments["transfer"]))
    if waiting is not None:
        assert waiting.account.player is not None, "the database holds it"
        check_independent(player=waiting.account.player, actors=(actor_of(user),))


def _release(arguments: Arguments, decision: Decision) -> object:
    said: dict[str, Any] = {
        "transfer_id": arguments["transfer"],
        **by_two(decision),
        "request_id": decision.request_id,
    }
    if arguments["player"] is None:
        return send_back(**said)
    return assign_to_player(player=player_of(arguments), deposit_id=arguments["deposit"], **said)


def _describe_release(arguments: Arguments) -> str:
    transfer = Transfer.objects.get(pk=arguments["transfer"])
    amount = f"{format_cents(transfer.amount_cents)} {transfer.unit} of transfer {transfer.pk} in suspense"
    if arguments["player"] is None:
        return f"Send {amount} back to where it came from."
    deposit = f", for deposit D{arguments['deposit']}" if arguments["deposit"] is not None else ""
    return f"Give {amount} to player {player_of(arguments).handle}{deposit}."


ACTS = (
    Act(
        name=ADJUST,
        title="Adjust a balance",
        run=_adjust,
        describe=_describe_adjustment,
        may_make="common.request_finance",
        may_decide="common.decide_finance",
        check=_check_adjustment,
        needs_evidence=True,
        check_person=check_independent_of_player,
        check_maker=_check_maker,
        check_approver=_check_approver,
    ),
    Act(
        name=TAKE_OWED,
        title="Take what a player owes",
        run=_take_owed,
        describe=_describe_owed,
        may_make="common.request_finance",
        may_decide="common.decide_finance",
        check=_check_owed,
        needs_evidence=True,
        check_person=check_independent_of_player,
    ),
    Act(
        name=CORRECT,
        title="Correct a transfer",
        run=_correct,
        describe=_describe_correction,
        may_make="common.request_finance",
        may_decide="common.decide_finance",
        check=_check_correction,
        needs_evidence=True,
        check_person=check_independent_of_player,
    ),
    Act(
        name=RELEASE,
        title="Release money from suspense",
        run=_release,
        describe=_describe_release,
        may_make="common.request_finance",
        may_decide="common.decide_finance",
        check=_check_release,
        check_person=_check_assigned_player,
    ),
)
