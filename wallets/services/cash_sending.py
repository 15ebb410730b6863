"""Asking providers: to take a deposit, to pay a withdrawal, and what has become of either.

A request is marked as sent before its provider is asked, so that a worker that dies in between leaves an unknown
outcome, which is held, and never a second payment. No provider is asked inside a database transaction.
"""

import datetime as dt
import logging
from collections.abc import Callable

from django.db import transaction

from wallets.models import CashKind, CashRequest, CashState, NoticeOutcome
from wallets.providers import Answer, Order, Outcome, all_providers, find_provider
from wallets.sealing import unseal

from .cash_steps import StepNotAllowed, take_step
from .notices import InvalidNotice, Told, take_notice

log = logging.getLogger(__name__)

# What was asked so long ago and has no outcome is unknown: a person looks, nobody is refunded.
PATIENCE = dt.timedelta(hours=1)
_ASKED = (CashState.STARTED, CashState.SENT, CashState.UNKNOWN)
_MOST_AT_A_TIME = 200
Clock = Callable[[], dt.datetime]


def begin_deposit(*, request_id: int, now: Clock) -> None:
    """Tell the provider that a player wants to pay in; does nothing where the deposit has an outcome already."""
    request = CashRequest.objects.get(pk=request_id)
    if request.state == CashState.STARTED:
        _take(request, _ask(request, "begin_deposit"), now())


def send_withdrawal(*, request_id: int, now: Clock) -> None:
    """Ask the provider to pay an approved withdrawal, once; does nothing where it was sent already."""
    request = CashRequest.objects.get(pk=request_id)
    if request.state != CashState.APPROVED:
        return
    if not _mark_sent(request, now()):
        return
    _take(request, _ask(request, "pay_out"), now())


def ask_providers(*, now: Clock) -> int:
    """Send what was approved and not sent, and ask what has become of the rest; returns how many were looked at.

    Safe to run any time. What nobody knows for longer than PATIENCE becomes unknown, and is held.
    """
    approved = CashRequest.objects.filter(state=CashState.APPROVED).order_by("id")
    for request in approved[:_MOST_AT_A_TIME]:
        send_withdrawal(request_id=request.pk, now=now)
    can_be_asked = [provider.code for provider in all_providers() if provider.can_be_asked]
    # Their numbers first: on SQLite a reader that stays open while others are written might be broken off.
    open_ones = list(
        CashRequest.objects.filter(state__in=_ASKED, provider__in=can_be_asked)
        .order_by("id")
        .values_list("pk", flat=True)
    )
    for request_id in open_ones:
        request = CashRequest.objects.get(pk=request_id)
        answer, at = _ask(request, "ask"), now()
        is_late = request.state == CashState.SENT and request.created_at + PATIENCE <= at
        if answer.outcome != Outcome.UNKNOWN or is_late:
            _take(request, answer, at)
    return len(open_ones)


def _mark_sent(request: CashRequest, at: dt.datetime) -> bool:
    """Mark the request as sent; False where somebody else just did, who then asks the provider."""
    with transaction.atomic():
        locked = CashRequest.objects.select_for_update(no_key=True).get(pk=request.pk)
        if locked.state != CashState.APPROVED:
            return False
        take_step(request_id=request.pk, to_state=CashState.SENT, actor="system", at=at)
    request.state = CashState.SENT
    return True


def _ask(request: CashRequest, question: str) -> Answer:
    provider = find_provider(request.provider)
    if provider is None:
        log.error("cash request %s: there is no provider %s any more", request, request.provider)
        return Answer(Outcome.UNKNOWN)
    address = request.payout_address
    iban = unseal(address.iban_sealed) if address is not None and address.iban_sealed else ""
    paid_in = request.refund_of.provider_reference or "" if request.refund_of is not None else ""
    order = Order(request.reference, request.amount_cents, request.unit, iban, paid_in)
    try:
        answer = getattr(provider, question)(order)
    except Exception:
        # Whatever went wrong out there, it tells nothing of whether the money was moved.
        log.exception("cash request %s: provider %s did not answer", request, request.provider)
        return Answer(Outcome.UNKNOWN)
    return answer if isinstance(answer, Answer) else Answer(Outcome.UNKNOWN)


def _take(request: CashRequest, answer: Answer, at: dt.datetime) -> None:
    actor = f"provider:{request.provider}"
    if answer.outcome == Outcome.WAITING:
        return
    is_paid = answer.outcome == Outcome.PAID
    # Paid is what names the payment, its amount and its unit; less than that is no definite word.
    if answer.outcome == Outcome.UNKNOWN or (is_paid and not (answer.reference and answer.amount_cents)):
        _mark_unknown(request, actor, at)
        return
    try:
        take_notice(
            told=Told(
                provider=request.provider,
                reference=answer.reference or f"refused-{request}",
                our_reference=request.reference,
                kind=CashKind(request.kind),
                outcome=NoticeOutcome.PAID if is_paid else NoticeOutcome.REFUSED,
                amount_cents=answer.amount_cents or request.amount_cents,
                unit=answer.unit or request.unit,
                reason=answer.reason,
            ),
            actor=actor,
            at=at,
        )
    except InvalidNotice:
        log.exception("cash request %s: provider %s answered nonsense", request, request.provider)
        _mark_unknown(request, actor, at)


def _mark_unknown(request: CashRequest, actor: str, at: dt.datetime) -> None:
    try:
        take_step(request_id=request.pk, to_state=CashState.UNKNOWN, actor=actor, at=at, reason="no definite answer")
    except StepNotAllowed:
        # It was decided meanwhile.
        log.info("cash request %s: an unknown answer came after its outcome", request)
