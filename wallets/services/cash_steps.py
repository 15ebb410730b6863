"""What staff do with cash requests: hold, approve, and say what has become of a payment.

There is no act here that cancels a withdrawal, and none may be added: what was asked for is paid out, unless the
provider definitely refuses it.
"""

import datetime as dt
from contextlib import suppress

from django.conf import settings
from django.db import transaction

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from roulette_site.common.reasons import clean_reason
from wallets.models import CASH_STEPS, CashKind, CashRequest, CashState, NoticeOutcome

from .caps import check_alone, check_independent
from .cash_requests import record_step
from .notices import Taken, Told, check_told, take_notice

MOST_LETTERS = 300


class StepNotAllowed(RuleBroken):
    """The request has come too far for this, or not far enough."""

    code = "step_not_allowed"


def approve_withdrawal(*, request_id: int, actor: str, at: dt.datetime) -> CashRequest:
    """Let a withdrawal be sent to its provider; a worker sends it. Raises StepNotAllowed and OwnBenefit."""
    check_not_own(request_id=request_id, actor=actor)
    request = take_step(request_id=request_id, to_state=CashState.APPROVED, actor=actor, at=at)
    after_commit("wallets.tasks.send_withdrawal", "background", request_id=request_id)
    return request


def check_not_own(*, request_id: int, actor: str) -> None:
    """Raise OwnBenefit where the payment is the actor's own."""
    account = CashRequest.objects.select_related("account__player__user").get(pk=request_id).account
    assert account.player is not None, "the database holds it"
    check_independent(player=account.player, actors=(actor,))


def hold_withdrawal(*, request_id: int, reason: str, actor: str, at: dt.datetime) -> CashRequest:
    """Keep a withdrawal from being sent until somebody approves it. Raises ReasonMissing and StepNotAllowed."""
    said = clean_reason(reason, most=MOST_LETTERS)
    return take_step(request_id=request_id, to_state=CashState.HELD, actor=actor, at=at, reason=said)


def confirm_payment(*, request_id: int, reference: str, actor: str, at: dt.datetime, second_actor: str = "") -> Taken:
    """Say as the provider's mouth that a payment came or went; `reference` is his number of it, from the statement.

    A deposit beyond what `actor` may do alone in a day is confirmed by two. Raises StepNotAllowed, NeedsSecondPerson,
    OwnBenefit, and InvalidNotice where the reference cannot be one.
    """
    return _tell(request_id, NoticeOutcome.PAID, reference.strip(), "", actor, second_actor, at)


def mark_failed(*, request_id: int, reason: str, actor: str, at: dt.datetime, second_actor: str = "") -> Taken:
    """Say as the provider's mouth that he has definitely refused a payment; a withdrawal's money then goes back.

    That is said by two where it is more than `actor` may do alone in a day. Raises ReasonMissing, StepNotAllowed,
    NeedsSecondPerson and OwnBenefit.
    """
    reason = clean_reason(reason, most=MOST_LETTERS)
    return _tell(request_id, NoticeOutcome.REFUSED, "", reason, actor, second_actor, at)


def take_step(*, request_id: int, to_state: CashState, actor: str, at: dt.datetime, reason: str = "") -> CashRequest:
    """Take a request one step on that moves no money; the same step again changes nothing. Raises StepNotAllowed."""
    with audited():
        request = CashRequest.objects.select_for_update(no_key=True).get(pk=request_id)
        before = CashState(request.state)
        if before == to_state:
            return request
        if (before, to_state) not in CASH_STEPS[CashKind(request.kind)]:
            raise StepNotAllowed(f"{request} is {before.label}.", state=str(before))
        request.state = to_state
        request.save(update_fields=["state"])
        record_step(request, to_state, actor=actor, at=at, reason=reason, from_state=before)
        return request


def expire_deposits(*, at: dt.datetime) -> int:
    """Let deposits expire of which no word has come in time (DEPOSIT_EXPIRES_HOURS); how many those were.

    Nothing is decided by that: money that comes late is the player's all the same. A deposit whose outcome is unknown
    does not expire, since something has come of it and a person looks.
    """
    hours = settings.DEPOSIT_EXPIRES_HOURS
    overdue = CashRequest.objects.filter(
        kind=CashKind.DEPOSIT, state=CashState.STARTED, created_at__lte=at - dt.timedelta(hours=hours)
    )
    expired, why = 0, f"no word within {hours} hours"
    for request_id in list(overdue.order_by("id").values_list("pk", flat=True)):
        # Its outcome came meanwhile.
        with suppress(StepNotAllowed):
            take_step(request_id=request_id, to_state=CashState.EXPIRED, actor="system", at=at, reason=why)
            expired += 1
    return expired


def find_waiting(request_id: int) -> CashRequest:
    """The request, where it waits for a provider's word. Raises CashRequest.DoesNotExist and StepNotAllowed."""
    request = CashRequest.objects.get(pk=request_id)
    waits = {CashState.STARTED, CashState.EXPIRED, CashState.SENT, CashState.UNKNOWN}
    if request.state not in waits:
        raise StepNotAllowed(f"{request} is {CashState(request.state).label}.", state=request.state)
    return request


def check_confirmation(*, request_id: int, reference: str) -> None:
    """Raise StepNotAllowed or InvalidNotice for what could not be confirmed now."""
    check_told(_told(find_waiting(request_id), NoticeOutcome.PAID, reference, ""))


def _tell(
    request_id: int, outcome: NoticeOutcome, reference: str, reason: str, actor: str, second_actor: str, at: dt.datetime
) -> Taken:
    request = find_waiting(request_id)
    told = _told(request, outcome, reference, reason)
    # A deposit that comes and a withdrawal that goes back make a player richer by somebody's word; the others do not.
    if (request.kind, outcome) not in (
        (CashKind.DEPOSIT, NoticeOutcome.PAID),
        (CashKind.WITHDRAWAL, NoticeOutcome.REFUSED),
    ):
        return take_notice(told=told, actor=actor, at=at)
    player = request.account.player
    assert player is not None, "the database holds it"
    with transaction.atomic():
        check_independent(player=player, actors=(actor, second_actor))
        check_alone(actor=actor, second_actor=second_actor, amount_cents=request.amount_cents, at=at)
        taken = take_notice(told=told, actor=actor, at=at)
        if not taken.repeated:
            record(
                act="payment_told",
                actor=actor,
                subject=("cash_request", request.pk),
                after={
                    "outcome": str(outcome),
                    "amount_cents": request.amount_cents,
                    "second_actor": second_actor,
                },
                reason=reason,
                at=at,
            )
        return taken


def _told(request: CashRequest, outcome: NoticeOutcome, reference: str, reason: str) -> Told:
    # A refusal has no number of its own at a bank: it is told once for each request.
    reference = reference or (f"staff-{request}" if outcome == NoticeOutcome.REFUSED else "")
    return Told(
        provider=request.provider,
        reference=reference,
        our_reference=request.reference,
        kind=CashKind(request.kind),
        outcome=outcome,
        amount_cents=request.amount_cents,
        unit=request.unit,
        reason=reason,
    )
