"""The workbench of reconciliation: what does not agree, the oldest first, who has it, and how it was resolved."""

from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from roulette_site.common.errors import RuleBroken
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.models import Finding
from wallets.selectors.findings import finding_lines, open_findings, resolved_findings
from wallets.services.findings import resolve_finding, take_finding

from .doors import actor_of, context_of, player_asked_for, staff_page

SEE, ACT = "wallets.view_finding", "wallets.work_finding"
ROWS_A_PAGE = 50


@staff_page(see=SEE, act=ACT)
def finding_list(request: HttpRequest) -> HttpResponse:
    """Show open findings, the oldest first; or those that are resolved."""
    is_resolved = request.GET.get("resolved") == "1"
    findings, player = resolved_findings() if is_resolved else open_findings(), player_asked_for(request)
    if player is not None:
        findings = findings.filter(Q(account__player=player) | Q(request__account__player=player))
    lines = finding_lines(
        findings,
        at=database_now(),
        limit=ROWS_A_PAGE,
        after=whole_number(request.GET.get("after", "")),
    )
    return render(
        request,
        "wallets/staff/finding_list.html",
        {
            **context_of(request, "Findings"),
            "lines": lines,
            "is_resolved": is_resolved,
            "player": player,
            "newer": lines[-1].finding.pk if len(lines) == ROWS_A_PAGE else None,
        },
    )


@staff_page(see=SEE, act=ACT)
def finding_detail(request: HttpRequest, finding_id: int) -> HttpResponse:
    """Show one finding with all its steps; a POST takes or resolves it."""
    found = get_object_or_404(Finding, pk=min(finding_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        about: dict[str, Any] = {"finding_id": found.pk, "actor": actor_of(request), "at": database_now()}
        try:
            match request.POST.get("act"):
                case "take":
                    take_finding(**about)
                case "resolve":
                    resolve_finding(**about, text=request.POST.get("text", ""))
                case _:
                    return HttpResponse(status=400)
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.success(request, f"Finding {found.pk}: done.")
            return redirect("staff-finding", finding_id=found.pk)
    (line,) = finding_lines(Finding.objects.filter(pk=found.pk), at=database_now(), limit=1)
    may_act = line.resolution is None and request.user.has_perm(ACT)
    return render(
        request,
        "wallets/staff/finding.html",
        {
            **context_of(request, f"Finding {found.pk}"),
            "line": line,
            "steps": found.steps.order_by("id"),
            "may_take": may_act and line.owner != actor_of(request),
            "may_resolve": may_act and line.owner == actor_of(request),
            "refusal": refusal,
            "typed": request.POST,
        },
    )
