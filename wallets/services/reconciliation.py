"""Reconciling: every difference that is met becomes a finding, once as long as it is open."""

import datetime as dt
from collections.abc import Iterable, Sequence

from wallets.models import Account, CashRequest, Finding
from wallets.selectors.discrepancies import Discrepancy, compare_with_statement, find_discrepancies
from wallets.statement_files import StatementLine

from .findings import open_finding


def reconcile(*, actor: str, at: dt.datetime) -> Sequence[Finding]:
    """Hold balances, cash requests, suspense and rounds against transfers; returns the findings that are new."""
    return _write_down(find_discrepancies(at=at), actor, at)


def reconcile_statement(
    *, provider: str, lines: Sequence[StatementLine], actor: str, at: dt.datetime
) -> Sequence[Finding]:
    """Hold a provider's statement against the cash requests, both ways; returns the findings that are new."""
    return _write_down(compare_with_statement(provider=provider, lines=lines), actor, at)


def _write_down(met: Iterable[Discrepancy], actor: str, at: dt.datetime) -> Sequence[Finding]:
    # All are met before the first is written down: on SQLite a writer would wait for its own reader.
    found = [
        open_finding(
            kind=one.kind,
            subject=one.subject,
            detail=one.detail,
            actor=actor,
            at=at,
            amount_cents=one.amount_cents,
            unit=one.unit,
            account=None if one.account_id is None else Account.objects.get(pk=one.account_id),
            request=None if one.request_id is None else CashRequest.objects.get(pk=one.request_id),
        )
        for one in list(met)
    ]
    return [one for one in found if one is not None]
