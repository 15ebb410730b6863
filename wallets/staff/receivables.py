"""What players owe, for finance: who, how much, since when and why; and taking it at the player's own wish."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import make_request
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.acts.money import TAKE_OWED
from wallets.amounts import InvalidAmount, parse_typed_cents
from wallets.models import Player, User
from wallets.selectors.receivables import debts, owed_by

from .doors import context_of, staff_page

SEE, ACT = "wallets.view_transfer", "common.request_finance"
ROWS_A_PAGE = 50


@staff_page(see=SEE, act=ACT)
def receivable_list(request: HttpRequest) -> HttpResponse:
    """Show who owes, by the number of the account."""
    rows = debts(limit=ROWS_A_PAGE, after=whole_number(request.GET.get("after", "")) or 0)
    return render(
        request,
        "wallets/staff/receivables.html",
        {
            **context_of(request, "What players owe"),
            "rows": rows,
            "next": rows[-1].account_id if len(rows) == ROWS_A_PAGE else None,
        },
    )


@staff_page(see=SEE, act=ACT)
def receivable_detail(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show what one player owes; a POST asks a second person to take it."""
    player = get_object_or_404(Player, pk=min(player_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        try:
            said = _take(request, player)
        except InvalidAmount as error:
            refusal = str(error)
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.success(request, said)
            return redirect("staff-receivable", player_id=player.pk)
    return render(
        request,
        "wallets/staff/receivable.html",
        {
            **context_of(request, f"What {player.handle} owes"),
            "player": player,
            "rows": owed_by(player),
            "may_act": request.user.has_perm(ACT),
            "refusal": refusal,
            "typed": request.POST,
        },
        status=409 if refusal else 200,
    )


def _take(request: HttpRequest, player: Player) -> str:
    assert isinstance(request.user, User), "the door lets users in alone"
    cents = parse_typed_cents(request.POST.get("amount", "")[:100], "en")
    make_request(
        act=TAKE_OWED,
        arguments={"player": player.pk, "amount_cents": cents},
        user=request.user,
        reason=request.POST.get("reason", ""),
        evidence=request.POST.get("consent", ""),
        at=database_now(),
    )
    return "Asked: another person decides it."
