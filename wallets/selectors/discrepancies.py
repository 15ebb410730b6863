"""What does not agree: balances with transfers, cash requests with their transfers, statements with both."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from roulette_site.common.sql import portable
from wallets.models import (
    DONE_STATES,
    Account,
    CashRequest,
    CashState,
    Finding,
    FindingKind,
    FindingStepKind,
    Unit,
)
from wallets.statement_files import StatementLine

from .suspense import suspended_transfers
from .verification.cash import REQUESTS
from .verification.transfers import BALANCES

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


class Source(Protocol):
    """What an app above knows that may not agree with the ledger."""

    def __call__(self, *, at: dt.datetime) -> Iterator[Discrepancy]:
        """Yield what does not agree at that instant."""


_sources: list[Source] = []


def register_source(find: Source) -> None:
    """Let what an app above knows be looked at, too; called from AppConfig.ready. The same again changes nothing."""
    if find not in _sources:
        _sources.append(find)


def find_discrepancies(*, at: dt.datetime) -> Iterator[Discrepancy]:
    """Yield what does not agree inside the house, from the rows alone, and what the apps above see."""
    yield from _balances()
    yield from _requests()
    yield from _overdue(at)
    yield from _suspense()
    for find in _sources:
        yield from find(at=at)


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
    # A deposit has had its time when it expires; it is found until somebody says that nothing came.
    is_late = Q(state__in=_WAITING, created_at__lte=at - PATIENCE) | Q(state=CashState.EXPIRED)
    waiting = CashRequest.objects.filter(is_late)
    for request in waiting.order_by("id").iterator():
        yield Discrepancy(
            FindingKind.OVERDUE,
            f"request:{request.pk}:{request.state}",
            f"{request} of {request.created_at:%Y-%m-%d} is {CashState(request.state).label} since long.",
            request.amount_cents,
            request.unit,
            request.account_id,
            request.pk,
        )


def _suspense() -> Iterator[Discrepancy]:
    """What is in suspense while no finding about it is open: somebody resolved it, and left the money where it was."""
    worked_on = Finding.objects.filter(notice__suspended=OuterRef("pk")).exclude(steps__kind=FindingStepKind.RESOLVED)
    for transfer in suspended_transfers().filter(~Exists(worked_on)).order_by("id").iterator():
        yield Discrepancy(
            FindingKind.SUSPENSE,
            f"transfer:{transfer.pk}:",
            f"Transfer {transfer.pk}: its money is in suspense, and no finding about it is open.",
            transfer.amount_cents,
            transfer.unit,
            transfer.credit_id,
        )


def _rows(sql: str) -> Iterator[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(portable(sql))
        while rows := cursor.fetchmany(500):
            yield from rows
