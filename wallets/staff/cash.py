"""Cash requests for finance: which wait, what each has gone through, and what is to become of it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import make_request
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.acts.payments import CONFIRM, FAIL
from wallets.models import CashRequest, CashState, Verdict
from wallets.selectors.cash import page_of
from wallets.services.caps import NeedsSecondPerson
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, hold_withdrawal, mark_failed
from wallets.services.notices import Taken
from wallets.services.payout_files import make_payout_file

from .doors import actor_of, context_of, player_asked_for, staff_page

# What it answers is shown to whoever did it.
_Act = Callable[[HttpRequest, dict[str, Any]], str]
DONE, ASKED = "done.", "asked, another person decides it."
SEE, ACT = "wallets.view_cashrequest", "wallets.decide_cashrequest"
ROWS_A_PAGE = 50
# What can be done with a request that stands so; nothing with one that has its outcome.
ACTS_OF = {
    CashState.STARTED: ("confirm", "fail"),
    CashState.EXPIRED: ("confirm", "fail"),
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
    player = player_asked_for(request)
    if player is not None:
        requests = requests.filter(account__player=player)
    rows = page_of(requests, limit=ROWS_A_PAGE, before=whole_number(request.GET.get("before", "")))
    return render(
        request,
        "wallets/staff/cash_list.html",
        {
            **context_of(request, "Cash desk"),
            "rows": rows,
            "player": player,
            "states": CashState.choices,
            "state": state if state in CashState.values else "",
            "may_act": request.user.has_perm(ACT),
            "older": rows[-1].pk if len(rows) == ROWS_A_PAGE else None,
        },
    )


@staff_page(see=SEE, act=ACT)
def payout_file(request: HttpRequest) -> HttpResponse:
    """Send the withdrawals that finance transfers by hand, as a file; a POST alone, since each is written down."""
    if request.method != "POST":
        return HttpResponse(status=405)
    made = make_payout_file(actor=actor_of(request), at=database_now())
    answer = HttpResponse(made.text, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="withdrawals.csv"'
    return answer


@staff_page(see=SEE, act=ACT)
def cash_detail(request: HttpRequest, request_id: int) -> HttpResponse:
    """Show one request with all its steps; a POST is an act on it."""
    found = get_object_or_404(
        CashRequest.objects.select_related("account__player", "payout_address", "refund_of"),
        pk=min(request_id, 2**63 - 1),
    )
    refusal = ""
    if request.method == "POST":
        act = _ACTS.get(request.POST.get("act", ""))
        if act is None:
            return HttpResponse(status=400)
        try:
            said = _act_or_ask(request, found, act)
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.add_message(
                request, messages.SUCCESS if said in (DONE, ASKED) else messages.WARNING, f"{found}: {said}"
            )
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


def _act_or_ask(request: HttpRequest, found: CashRequest, act: _Act) -> str:
    """Do it, or ask for a second person where it is more than one may do alone; returns what was done."""
    try:
        return act(request, {"request_id": found.pk, "actor": actor_of(request), "at": database_now()})
    except NeedsSecondPerson:
        is_confirmed = request.POST["act"] == "confirm"
        reference = {"reference": request.POST.get("reference", "").strip()} if is_confirmed else {}
        make_request(
            act=CONFIRM if is_confirmed else FAIL,
            arguments={"request": found.pk, **reference},
            user=request.user,
            reason=request.POST.get("reason", ""),
            at=database_now(),
        )
        return ASKED


def _confirm(request: HttpRequest, about: dict[str, Any]) -> str:
    return _became(confirm_payment(**about, reference=request.POST.get("reference", "")))


def _fail(request: HttpRequest, about: dict[str, Any]) -> str:
    return _became(mark_failed(**about, reason=request.POST.get("reason", "")))


def _hold(request: HttpRequest, about: dict[str, Any]) -> str:
    hold_withdrawal(**about, reason=request.POST.get("reason", ""))
    return DONE


def _approve(request: HttpRequest, about: dict[str, Any]) -> str:
    approve_withdrawal(**about)
    return DONE


def _became(taken: Taken) -> str:
    """What became of what was said: not every word changes the request that it was said of."""
    if taken.differs:
        return "nothing was done: this number was told of before, otherwise than now. It is a finding."
    if taken.repeated:
        return "nothing was done: this was told before."
    verdict = Verdict(taken.notice.verdict)
    if verdict == Verdict.APPLIED:
        return DONE
    if verdict == Verdict.KNOWN:
        return "nothing was done: this says nothing new."
    return f"not applied, the payment {verdict.label}. It is a finding."


_ACTS: dict[str, _Act] = {
    "confirm": _confirm,
    "fail": _fail,
    "hold": _hold,
    "approve": _approve,
}
