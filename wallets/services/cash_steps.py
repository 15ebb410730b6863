"""What staff do with cash requests: hold, approve, and say what has become of a payment.

There is no act here that cancels a withdrawal, and none may be added: what was asked for is paid out, unless the
provider definitely refuses it.
"""

import datetime as dt

from django.db import transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from wallets.models import CASH_STEPS, CashKind, CashRequest, CashState, NoticeOutcome

from .cash_requests import record_step
from .notices import Taken, Told, take_notice

MOST_LETTERS = 300


class StepNotAllowed(RuleBroken):
    """The request has come too far for this, or not far enough."""

    code = "step_not_allowed"


class ReasonMissing(RuleBroken):
    """Staff say why, in words that another can follow."""

    code = "reason_missing"
    http_status = 422


def approve_withdrawal(*, request_id: int, actor: str, at: dt.datetime) -> CashRequest:
    """Let a withdrawal be sent to its provider; a worker sends it. Raises StepNotAllowed."""
    request = take_step(request_id=request_id, to_state=CashState.APPROVED, actor=actor, at=at)
    after_commit("wallets.tasks.send_withdrawal", "background", request_id=request_id)
    return request


def hold_withdrawal(*, request_id: int, reason: str, actor: str, at: dt.datetime) -> CashRequest:
    """Keep a withdrawal from being sent until somebody approves it. Raises ReasonMissing and StepNotAllowed."""
    return take_step(request_id=request_id, to_state=CashState.HELD, actor=actor, at=at, reason=_reason(reason))


def confirm_payment(*, request_id: int, reference: str, actor: str, at: dt.datetime) -> Taken:
    """Say as the provider's mouth that a payment came or went; `reference` is his number of it, from the statement.

    Raises StepNotAllowed, and InvalidNotice where the reference cannot be one.
    """
    return _tell(request_id, NoticeOutcome.PAID, reference.strip(), "", actor, at)


def mark_failed(*, request_id: int, reason: str, actor: str, at: dt.datetime) -> Taken:
    """Say as the provider's mouth that he has definitely refused a payment; a withdrawal's money then goes back.

    Raises ReasonMissing and StepNotAllowed.
    """
    reason = _reason(reason)
    return _tell(request_id, NoticeOutcome.REFUSED, "", reason, actor, at)


def take_step(*, request_id: int, to_state: CashState, actor: str, at: dt.datetime, reason: str = "") -> CashRequest:
    """Take a request one step on that moves no money; the same step again changes nothing. Raises StepNotAllowed."""
    with transaction.atomic():
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


def _tell(request_id: int, outcome: NoticeOutcome, reference: str, reason: str, actor: str, at: dt.datetime) -> Taken:
    request = CashRequest.objects.get(pk=request_id)
    waits = {CashState.STARTED, CashState.SENT, CashState.UNKNOWN}
    if request.state not in waits:
        raise StepNotAllowed(f"{request} is {CashState(request.state).label}.", state=request.state)
    return take_notice(
        told=Told(
            provider=request.provider,
            # A refusal has no number of its own at a bank: it is told once for each request.
            reference=reference or (f"staff-{request}" if outcome == NoticeOutcome.REFUSED else ""),
            our_reference=request.reference,
            kind=CashKind(request.kind),
            outcome=outcome,
            amount_cents=request.amount_cents,
            unit=request.unit,
            reason=reason,
        ),
        actor=actor,
        at=at,
    )


def _reason(text: str) -> str:
    text = text.strip()
    if not text or len(text) > MOST_LETTERS or "\0" in text:
        raise ReasonMissing(f"Say why, in at most {MOST_LETTERS} letters.")
    return text
