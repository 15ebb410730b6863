"""Findings as the workbench shows them: what differs, how old it is, who has it and how it ended."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery

from wallets.models import Finding, FindingStep, FindingStepKind, User


@dataclass(frozen=True)
class FindingLine:
    """A finding with its age at the time of looking, its owner and its resolution."""

    finding: Finding
    age: dt.timedelta
    owner: str
    owner_name: str
    resolution: FindingStep | None


def open_findings() -> QuerySet[Finding]:
    """The findings that nobody has resolved."""
    return Finding.objects.exclude(steps__kind=FindingStepKind.RESOLVED)


def resolved_findings() -> QuerySet[Finding]:
    """The findings that somebody has resolved."""
    return Finding.objects.filter(steps__kind=FindingStepKind.RESOLVED)


def finding_lines(
    findings: QuerySet[Finding], *, at: dt.datetime, limit: int, after: int | None = None
) -> Sequence[FindingLine]:
    """A page of findings, the oldest first; `after` is the last one of the page before."""
    if after is not None:
        findings = findings.filter(pk__gt=after)
    taken = FindingStep.objects.filter(finding=OuterRef("pk"), kind=FindingStepKind.TAKEN).order_by("-id")
    rows = list(
        findings.annotate(owner=Subquery(taken.values("actor")[:1])).select_related("request").order_by("id")[:limit]
    )
    names = _names({row.owner for row in rows if row.owner})
    ends = {
        step.finding_id: step for step in FindingStep.objects.filter(finding__in=rows, kind=FindingStepKind.RESOLVED)
    }
    return [
        FindingLine(row, at - row.found_at, row.owner or "", names.get(row.owner or "", ""), ends.get(row.pk))
        for row in rows
    ]


def _names(actors: set[str]) -> dict[str, str]:
    """Names of members of the staff, who stand in lasting rows by their ids alone."""
    ids = {actor: int(actor.removeprefix("staff:")) for actor in actors if actor.startswith("staff:")}
    people = User.objects.in_bulk(list(ids.values()))
    return {actor: people[pk].full_name or people[pk].email for actor, pk in ids.items() if pk in people}
