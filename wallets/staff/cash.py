"""Cash requests for finance: which wait, what each has gone through, and what is to become of it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from roulette_site.common.errors import RuleBroken
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.models import CashRequest, CashState
from wallets.selectors.cash import page_of
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, hold_withdrawal, mark_failed

from .doors import actor_of, context_of, staff_page

SEE, ACT = "wallets.view_cashrequest", "wallets.decide_cashrequest"
ROWS_A_PAGE = 50
# What can be done with a request that stands so; nothing with one that has its outcome.
ACTS_OF = {
    CashState.STARTED: ("confirm", "fail"),
    CashState.REQUESTED: ("approve", "hold"),
    CashState.HELD: ("approve",),
    CashState.SENT: ("confirm", "fail"),
    CashState.UNKNOWN: ("confirm", "fail"),
}


@staff_page(see=SEE, act=ACT)
def cash_list(request: HttpRequest) -> HttpResponse:
    """Show the requests of one state, or all; the latest first."""
    state = request.GET.get("state", "")
    requests = CashRequest.objects.all()
    if state in CashState.values:
        requests = requests.filter(state=state)
    rows = page_of(requests, limit=ROWS_A_PAGE, before=whole_number(request.GET.get("before", "")))
    return render(
        request,
        "wallets/staff/cash_list.html",
        {
            **context_of(request, "Cash desk"),
            "rows": rows,
            "states": CashState.choices,
            "state": state if state in CashState.values else "",
            "older": rows[-1].pk if len(rows) == ROWS_A_PAGE else None,
        },
    )


@staff_page(see=SEE, act=ACT)
def cash_detail(request: HttpRequest, request_id: int) -> HttpResponse:
    """Show one request with all its steps; a POST is an act on it."""
    found = get_object_or_404(CashRequest.objects.select_related("account__player"), pk=min(request_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        act = _ACTS.get(request.POST.get("act", ""))
        if act is None:
            return HttpResponse(status=400)
        try:
            act(request, {"request_id": found.pk, "actor": actor_of(request), "at": database_now()})
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.success(request, f"{found}: done.")
            return redirect("staff-cash-request", request_id=found.pk)
        found.refresh_from_db()
    return render(
        request,
        "wallets/staff/cash_request.html",
        {
            **context_of(request, f"Cash request {found}"),
            "found": found,
            "steps": found.steps.order_by("id"),
            "notices": found.notices.order_by("id"),
            "findings": found.findings.order_by("id"),
            "acts": ACTS_OF.get(CashState(found.state), ()) if request.user.has_perm(ACT) else (),
            "refusal": refusal,
            "typed": request.POST,
        },
    )


def _confirm(request: HttpRequest, about: dict[str, Any]) -> None:
    confirm_payment(**about, reference=request.POST.get("reference", ""))


def _fail(request: HttpRequest, about: dict[str, Any]) -> None:
    mark_failed(**about, reason=request.POST.get("reason", ""))


def _hold(request: HttpRequest, about: dict[str, Any]) -> None:
    hold_withdrawal(**about, reason=request.POST.get("reason", ""))


def _approve(request: HttpRequest, about: dict[str, Any]) -> None:
    approve_withdrawal(**about)


_ACTS: dict[str, Callable[[HttpRequest, dict[str, Any]], None]] = {
    "confirm": _confirm,
    "fail": _fail,
    "hold": _hold,
    "approve": _approve,
}
