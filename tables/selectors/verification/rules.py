"""The proofs of the specific rules: each version is what was approved, and its page is what was published."""

import datetime as dt
import hashlib
from collections.abc import Iterator

from roulette_site.common.audit import facts_of
from roulette_site.common.models import AuditEntry
from roulette_site.common.sql import database_now
from roulette_site.common.verification import Check
from tables.guards import APPROVED_FACTS
from tables.models import PublishedRules, RulesStatus, SpecificRules

# A worker publishes what was approved at once.
PUBLISHED_WITHIN = dt.timedelta(hours=1)


def _entries(act: str) -> dict[str, list[AuditEntry]]:
    """What the trail says of that act, by version: as many entries as there are versions."""
    found: dict[str, list[AuditEntry]] = {}
    for entry in AuditEntry.objects.filter(subject_kind="rules", act=act).order_by("pk").iterator(chunk_size=500):
        found.setdefault(entry.subject_id, []).append(entry)
    return found


def _approved() -> Iterator[str]:
    """Hold every version to what the entry of its approval says of it; a version is answered once."""
    approvals, retired = _entries("rules_approved"), _entries("rules_retired")
    for rules in SpecificRules.objects.order_by("pk").iterator(chunk_size=50):
        entries = approvals.pop(str(rules.pk), [])
        due = RulesStatus.RETIRED if str(rules.pk) in retired else RulesStatus.APPROVED
        if (rules.status == due) != bool(entries) or (not entries and rules.status == RulesStatus.RETIRED):
            yield f"rules {rules.pk} are {rules.status}, and of their approval stand {len(entries)} entries"
        elif len(entries) > 1:
            yield f"rules {rules.pk} were approved {len(entries)} times"
        elif entries:
            said = entries[0].after or {}
            for name, value in facts_of(rules, *APPROVED_FACTS).items():
                if name not in said or said[name] != value:
                    yield f"rules {rules.pk}: {name} is not what was approved"
    for version in sorted(approvals):
        yield f"rules {version} were approved, and there are no such"


def _published() -> Iterator[str]:
    """Hold every page to the digest that it was published with, and every version to its page."""
    approvals, publications, now = _entries("rules_approved"), _entries("rules_published"), database_now()
    for page in PublishedRules.objects.order_by("id").iterator(chunk_size=50):
        digest = hashlib.sha256(page.html.encode()).hexdigest()
        entries = publications.pop(str(page.rules_id), [])
        if digest != page.sha256:
            yield f"the published page of rules {page.rules_id} is not the one that was published"
        if [((entry.after or {}).get("sha256"), entry.at) for entry in entries] != [(page.sha256, page.published_at)]:
            yield f"the published page of rules {page.rules_id} is not the one that the audit trail names"
        if not approvals.pop(str(page.rules_id), None):
            yield f"rules {page.rules_id} are published, and were never approved"
    for version in sorted(publications):
        yield f"the page of rules {version} was published, and is gone"
    for version, entries in sorted(approvals.items()):
        if version not in publications and now - entries[0].recorded_at > PUBLISHED_WITHIN:
            yield f"rules {version} were approved long ago, and are not published"


CHECKS = (
    Check("approved", "every version of the rules says what was approved, and no other counts as approved", _approved),
    Check("published", "every approved version has its page, and every page is the one that was published", _published),
)
