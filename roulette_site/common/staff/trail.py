"""The trail of one object: everything that was done to it, the latest first."""

import json

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from roulette_site.common.audit import trail_of
from roulette_site.common.models import AuditEntry

from .page import names_of, render_staff, staff_page

MOST = 100


@staff_page
@require_safe
def trail(request: HttpRequest, kind: str, subject_id: str) -> HttpResponse:
    """Show the entries of the object, a page of them at a time."""
    if not request.user.has_perm("common.view_auditentry"):
        raise PermissionDenied
    found = trail_of(kind, subject_id).select_related("seal")
    before = request.GET.get("before", "")
    if before:
        if not (before.isascii() and before.isdigit() and len(before) < 19):
            raise Http404
        found = found.filter(id__lt=int(before))
    entries = list(found[: MOST + 1])
    names = names_of(entry.actor for entry in entries)
    lines = [
        {"entry": entry, "name": names.get(entry.actor, ""), "changes": _changes(entry), "seal": _seal(entry)}
        for entry in entries[:MOST]
    ]
    older = entries[MOST - 1].pk if len(entries) > MOST else None
    context = {"lines": lines, "older": older, "subject": f"{kind}:{subject_id}"}
    return render_staff(request, "common/trail.html", f"Trail of {kind} {subject_id}", context)


def _changes(entry: AuditEntry) -> list[tuple[str, str, str]]:
    """Field, before and after, for those that the act set or changed."""
    before, after = entry.before or {}, entry.after or {}
    fields = [*before, *(name for name in after if name not in before)]
    changed = [name for name in fields if before.get(name) != after.get(name)]
    return [(name, _told(before.get(name)), _told(after.get(name))) for name in changed]


def _told(value: object) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _seal(entry: AuditEntry) -> int | None:
    return entry.seal.sequence if hasattr(entry, "seal") else None
