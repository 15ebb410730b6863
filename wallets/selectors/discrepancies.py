"""What does not agree: balances with transfers, cash requests with their transfers, statements with both."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from wallets.models import (
    DONE_STATES,
    Account,
    CashRequest,
    CashState,
    FindingKind,
    Unit,
)
from wallets.statement_files import StatementLine

from .verification import BALANCES, REQUESTS

# So long a player's money may wait for an outcome before somebody has to say why.
PATIENCE = dt.timedelta(days=3)
_WAITING = (CashState.REQUESTED, CashState.HELD, CashState.APPROVED, CashState.SENT, CashState.UNKNOWN)
_OURS = re.compile(r"[DW]([1-9][0-9]{0,17})\Z")


@dataclass(frozen=True)
class Discrepancy:
    """One difference: `subject` is the same each time that the same difference is met."""

    kind: FindingKind
    subject: str
    detail: str
    amount_cents: int | None = None
    unit: str = Unit.EUR
    account_id: int | None = None
    request_id: int | None = None


def find_discrepancies(*, at: dt.datetime) -> Iterator[Discrepancy]:
    """Yield what does not agree inside the house, from the rows alone."""
    yield from _balances()
    yield from _requests()
    yield from _overdue(at)


def compare_with_statement(*, provider: str, lines: Sequence[StatementLine]) -> Iterator[Discrepancy]:
    """Yield what does not agree between a provider's statement and our requests, both ways.

    The statement is taken to hold everything between its first and its last booking.
    """
    told: dict[int, StatementLine] = {}
    for line in lines:
        request = _request_of(provider, line)
        if request is None:
            yield Discrepancy(
                FindingKind.STATEMENT_UNKNOWN,
                f"{provider}:{line.reference}:{line.outcome}",
                f"{provider} {line.reference} ({line.our_reference or 'no reference of ours'}) is no request of ours.",
                line.amount_cents,
                line.unit,
            )
            continue
        told[request.pk] = line
        yield from _compare(provider, line, request)
    if not lines:
        return
    first, last = min(line.booked_at for line in lines), max(line.booked_at for line in lines)
    decided = CashRequest.objects.filter(
        provider=provider, state__in=DONE_STATES, decided_at__gte=first, decided_at__lte=last
    )
    for request in decided.order_by("id").iterator():
        if request.pk not in told:
            yield Discrepancy(
                FindingKind.STATEMENT_MISSING,
                f"{provider}:{request}",
                f"{request} is {request.state} here and not in the statement of {provider}.",
                request.amount_cents,
                request.unit,
                request.account_id,
                request.pk,
            )


def _compare(provider: str, line: StatementLine, request: CashRequest) -> Iterator[Discrepancy]:
    about = {"account_id": request.account_id, "request_id": request.pk}
    if (line.amount_cents, line.unit) != (request.amount_cents, request.unit):
        yield Discrepancy(
            FindingKind.STATEMENT_AMOUNT,
            f"{provider}:{line.reference}:{line.amount_cents}:{line.unit}",
            f"{request}: the amount of {provider} {line.reference} is not the one that was asked for.",
            line.amount_cents - request.amount_cents,
            line.unit,
            **about,
        )
    is_done = request.state in DONE_STATES
    is_undone = request.state in (CashState.FAILED, CashState.REFUSED)
    if not (is_done if line.outcome == "paid" else is_undone):
        yield Discrepancy(
            FindingKind.STATEMENT_OUTCOME,
            f"{provider}:{line.reference}:{line.outcome}:{request.state}",
            f"{request} is {CashState(request.state).label} here, and {line.outcome} at {provider}.",
            line.amount_cents,
            line.unit,
            **about,
        )


def _request_of(provider: str, line: StatementLine) -> CashRequest | None:
    named = _OURS.match(line.our_reference)
    if named is None:
        return None
    request = CashRequest.objects.filter(pk=int(named[1]), kind=line.kind, provider=provider).first()
    return request if request is not None and request.reference == line.our_reference else None


def _balances() -> Iterator[Discrepancy]:
    for account_id, balance, transfers in _rows(BALANCES):
        yield Discrepancy(
            FindingKind.BALANCE,
            f"account:{account_id}:{balance - transfers}",
            f"Account {account_id}: the balance is {balance} cents, its transfers come to {transfers}.",
            int(balance - transfers),
            Account.objects.values_list("unit", flat=True).get(pk=account_id),
            account_id=account_id,
        )


def _requests() -> Iterator[Discrepancy]:
    for request_id, state in _rows(REQUESTS):
        request = CashRequest.objects.get(pk=request_id)
        yield Discrepancy(
            FindingKind.REQUEST,
            f"request:{request_id}:{state}",
            f"{request} ({state}): its transfers are not what its state says.",
            request.amount_cents,
            request.unit,
            request.account_id,
            request.pk,
        )


def _overdue(at: dt.datetime) -> Iterator[Discrepancy]:
    waiting = CashRequest.objects.filter(state__in=_WAITING, created_at__lte=at - PATIENCE)
    for request in waiting.order_by("id").iterator():
        yield Discrepancy(
            FindingKind.OVERDUE,
            f"request:{request.pk}:{request.state}",
            f"{request} is {CashState(request.state).label} since long.",
            request.amount_cents,
            request.unit,
            request.account_id,
            request.pk,
        )


def _rows(sql: str) -> Iterator[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        while rows := cursor.fetchmany(500):
            yield from rows
