"""Findings: differences that somebody has to explain, who has taken them, and how they were resolved."""

import datetime as dt

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from roulette_site.common.sql import breaks_unique_key
from wallets.models import (
    Account,
    CashRequest,
    Finding,
    FindingKind,
    FindingStep,
    FindingStepKind,
    ProviderNotice,
)

from .caps import check_independent

MOST_LETTERS = 1000


class FindingResolved(RuleBroken):
    """What is resolved stays so; if the difference still stands, the next look finds it anew."""

    code = "finding_resolved"


class NotYours(RuleBroken):
    """A finding is resolved by the one who has taken it."""

    code = "finding_not_taken"


def open_finding(
    *,
    kind: FindingKind,
    subject: str,
    detail: str,
    actor: str,
    at: dt.datetime,
    amount_cents: int | None = None,
    unit: str = "",
    account: Account | None = None,
    request: CashRequest | None = None,
    notice: ProviderNotice | None = None,
) -> Finding | None:
    """Write a finding down, unless the same one (kind and `subject`) is open already; then return None."""
    base = f"{kind}:{subject}"[:140]
    same = Finding.objects.filter(Q(fingerprint=base) | Q(fingerprint__startswith=f"{base}#"))
    if same.exclude(steps__kind=FindingStepKind.RESOLVED).exists():
        return None
    count = same.count()
    try:
        with transaction.atomic():
            return Finding.objects.create(
                kind=kind,
                fingerprint=f"{base}#{count + 1}" if count else base,
                detail=detail[:300],
                actor=actor,
                found_at=at,
                amount_cents=amount_cents,
                unit=unit,
                account=account,
                request=request,
                notice=notice,
            )
    except IntegrityError as error:
        if not breaks_unique_key(error):
            raise
        # Another look found the same at the same moment.
        return None


def take_finding(*, finding_id: int, actor: str, at: dt.datetime) -> FindingStep:
    """Make a finding one's own; who takes one of another's takes it over. Raises FindingResolved."""
    with audited():
        finding = _open(finding_id)
        last = finding.steps.filter(kind=FindingStepKind.TAKEN).order_by("-id").first()
        if last is not None and last.actor == actor:
            return last
        record(act="finding_taken", actor=actor, subject=("finding", finding.pk), at=at)
        return FindingStep.objects.create(finding=finding, kind=FindingStepKind.TAKEN, actor=actor, at=at)


def resolve_finding(*, finding_id: int, text: str, actor: str, at: dt.datetime) -> FindingStep:
    """Say how a finding that one has taken was resolved; not of his own money.

    Raises ReasonNotUsable, FindingResolved, NotYours and OwnBenefit.
    """
    text = clean_reason(text, what="resolution", most=MOST_LETTERS)
    with audited():
        finding = _open(finding_id)
        owner = finding.steps.filter(kind=FindingStepKind.TAKEN).order_by("-id").values_list("actor", flat=True).first()
        if owner != actor:
            raise NotYours("Take the finding first: it is resolved by the one who has it.")
        if finding.account is not None and finding.account.player is not None:
            check_independent(player=finding.account.player, actors=(actor,))
        try:
            with transaction.atomic():
                record(act="finding_resolved", actor=actor, subject=("finding", finding.pk), reason=text, at=at)
                return FindingStep.objects.create(
                    finding=finding, kind=FindingStepKind.RESOLVED, actor=actor, text=text, at=at
                )
        except IntegrityError as error:
            if not breaks_unique_key(error):
                raise
            raise FindingResolved("This finding is resolved already.") from error


def close_findings(findings: QuerySet[Finding], *, text: str, actor: str, at: dt.datetime) -> None:
    """Resolve those of the findings that are open, by an act that ended what they tell of; needs its transaction."""
    open_ones = findings.exclude(steps__kind=FindingStepKind.RESOLVED)
    for finding_id in list(open_ones.order_by("id").values_list("pk", flat=True)):
        take_finding(finding_id=finding_id, actor=actor, at=at)
        resolve_finding(finding_id=finding_id, text=text[:MOST_LETTERS], actor=actor, at=at)


def _open(finding_id: int) -> Finding:
    finding = Finding.objects.get(pk=finding_id)
    if finding.steps.filter(kind=FindingStepKind.RESOLVED).exists():
        raise FindingResolved("This finding is resolved already.")
    return finding
