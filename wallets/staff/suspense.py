"""Money in suspense for finance: what came, since when, and asking a second person to assign it or to send it back."""

import re
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import make_request
from roulette_site.common.models import FourEyesRequest, RequestState
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.acts.money import RELEASE
from wallets.models import CashKind, CashRequest, Player
from wallets.selectors.suspense import suspended_transfers, suspense_lines

from .doors import context_of, staff_page

SEE, ACT = "wallets.view_transfer", "common.request_finance"
ROWS_A_PAGE = 50
_HANDLE = re.compile(r"[-a-zA-Z0-9_]{1,40}\Z")
_DEPOSIT = re.compile(r"D([1-9][0-9]{0,17})\Z")


class NobodyFound(RuleBroken):
    """Money is assigned to a player, by his handle or by the number of a deposit of his."""

    code = "nobody_found"
    http_status = 422


@staff_page(see=SEE, act=ACT)
def suspense_list(request: HttpRequest) -> HttpResponse:
    """Show what is in suspense, the oldest first."""
    lines = suspense_lines(
        suspended_transfers(),
        limit=ROWS_A_PAGE,
        after=whole_number(request.GET.get("after", "")),
    )
    return render(
        request,
        "wallets/staff/suspense_list.html",
        {
            **context_of(request, "Suspense"),
            "lines": lines,
            "newer": lines[-1].transfer.pk if len(lines) == ROWS_A_PAGE else None,
        },
    )


@staff_page(see=SEE, act=ACT)
def suspense_detail(request: HttpRequest, transfer_id: int) -> HttpResponse:
    """Show one amount; a POST asks a second person to release it. Once it is released it is not here any more."""
    found = get_object_or_404(suspended_transfers(), pk=min(transfer_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        try:
            _ask(request, found.pk)
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.success(request, "Asked: another person decides it.")
            return redirect("staff-suspended", transfer_id=found.pk)
    (line,) = suspense_lines(suspended_transfers().filter(pk=found.pk), limit=1)
    asked = FourEyesRequest.objects.filter(act=RELEASE, state=RequestState.OPEN, arguments__transfer=found.pk)
    return render(
        request,
        "wallets/staff/suspended.html",
        {
            **context_of(request, f"In suspense: transfer {found.pk}"),
            "line": line,
            "asked": asked.order_by("id"),
            "may_act": request.user.has_perm(ACT),
            "refusal": refusal,
            "typed": request.POST,
        },
        status=409 if refusal else 200,
    )


def _ask(request: HttpRequest, transfer_id: int) -> None:
    whose: dict[str, Any] = {"player": None, "deposit": None}
    if request.POST.get("act") == "assign":
        whose = _whose(request.POST.get("to", "").strip())
    elif request.POST.get("act") != "send-back":
        raise NobodyFound("Say what is to become of it.")
    make_request(
        act=RELEASE,
        arguments={"transfer": transfer_id, **whose},
        user=request.user,
        reason=request.POST.get("reason", ""),
        evidence=request.POST.get("evidence", ""),
        at=database_now(),
    )


def _whose(typed: str) -> dict[str, Any]:
    """The player, and the deposit if it was by its number that he was named."""
    if number := _DEPOSIT.match(typed):
        deposit = CashRequest.objects.filter(pk=int(number[1]), kind=CashKind.DEPOSIT).select_related("account").first()
        if deposit is not None:
            return {"player": deposit.account.player_id, "deposit": deposit.pk}
    # What cannot be a handle is not looked for: PostgreSQL takes no NUL.
    player = Player.objects.filter(handle=typed).first() if _HANDLE.match(typed) else None
    if player is None:
        raise NobodyFound("There is no player of this handle, and no deposit of this number.")
    return {"player": player.pk, "deposit": None}
