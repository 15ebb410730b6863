"""The acts on payments whose end a person tells, not the provider."""

from typing import Any

from roulette_site.common.audit import actor_of
from roulette_site.common.four_eyes import Act, Arguments, Decision
from wallets.amounts import format_cents
from wallets.models import CashRequest
from wallets.services.adjustments import InvalidAdjustment
from wallets.services.cash_steps import (
    MOST_LETTERS,
    check_confirmation,
    check_not_own,
    confirm_payment,
    find_waiting,
    mark_failed,
)
from wallets.services.standing import StepNotAllowed

CONFIRM, FAIL = "confirm_payment", "fail_payment"


def _cash_request(arguments: Arguments) -> CashRequest:
    request = CashRequest.objects.filter(pk=arguments.get("request") or 0).first()
    if request is None:
        raise InvalidAdjustment("There is no such cash request.")
    return find_waiting(request.pk)


def _check_cash_request(arguments: Arguments) -> None:
    request = _cash_request(arguments)
    if "reference" in arguments:
        check_confirmation(request_id=request.pk, reference=str(arguments["reference"]))


def _check_person(arguments: Arguments, user: Any) -> None:
    check_not_own(request_id=arguments["request"], actor=actor_of(user))


def _confirm(arguments: Arguments, decision: Decision) -> object:
    taken = confirm_payment(
        request_id=_cash_request(arguments).pk,
        reference=arguments["reference"],
        actor=decision.maker,
        second_actor=decision.decider,
        at=decision.at,
    )
    if taken.repeated:
        # Nothing would be done, and whoever approves would be told that it is.
        raise StepNotAllowed("The provider's number is that of a payment which was told before.")
    return taken


def _fail(arguments: Arguments, decision: Decision) -> object:
    return mark_failed(
        request_id=_cash_request(arguments).pk,
        reason=decision.reason[:MOST_LETTERS],
        actor=decision.maker,
        second_actor=decision.decider,
        at=decision.at,
    )


def _describe_payment(arguments: Arguments) -> str:
    request = CashRequest.objects.select_related("account__player").get(pk=arguments["request"])
    assert request.account.player is not None, "the database holds it"
    of_whom = f"of {format_cents(request.amount_cents)} EUR of player {request.account.player.handle}"
    if "reference" in arguments:
        return f"Confirm {request}, the {request.kind} {of_whom}, by payment {arguments['reference']}."
    return f"Mark {request}, the {request.kind} {of_whom}, as definitely refused."


ACTS = (
    Act(
        name=CONFIRM,
        title="Confirm a payment",
        run=_confirm,
        describe=_describe_payment,
        may_make="common.request_finance",
        may_decide="common.decide_finance",
        check=_check_cash_request,
        check_person=_check_person,
    ),
    Act(
        name=FAIL,
        title="Mark a payment as refused",
        run=_fail,
        describe=_describe_payment,
        may_make="common.request_finance",
        may_decide="common.decide_finance",
        check=_check_cash_request,
        check_person=_check_person,
    ),
)
