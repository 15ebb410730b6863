"""The cash desk of a player: paying in, being paid out, and what has become of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from roulette_site.common.errors import RuleBroken
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.amounts import InvalidAmount, parse_typed_cents, style_of
from wallets.models import CashRequest, CashState, OfferOccasion, Player
from wallets.providers import all_providers
from wallets.selectors.balances import wallets_of
from wallets.selectors.cash import page_of, requests_of
from wallets.selectors.limits_offers import is_offer_due
from wallets.selectors.payout import address_of
from wallets.selectors.suspense import Kept, kept_of
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.permission_to_pay import check_payer
from wallets.templatetags.money import message_of
from wallets.web.language import language_of_amounts

from .keys import fresh_key, key_of_form
from .who import player_of
from .words import ARRIVED_WORDS, OPEN_STATES, STATE_WORDS

REQUESTS_A_PAGE = 20
UNWELL_STATES = (CashState.FAILED, CashState.REFUSED, CashState.EXPIRED, CashState.UNKNOWN)


@dataclass(frozen=True)
class RequestLine:
    """A cash request as its player reads of it."""

    request: CashRequest
    words: Any
    is_open: bool
    is_unwell: bool


@dataclass(frozen=True)
class Refusal:
    """Which form was refused and why; what was typed stays there."""

    form: str
    message: str
    typed: str


@require_safe
@login_required
@never_cache
def cash(request: HttpRequest) -> HttpResponse:
    """Show both forms and the player's requests."""
    return _show(request, player_of(request))


def _act(form: str, act: Callable[..., object]) -> Callable[[HttpRequest], HttpResponse]:
    """Make a view of one of the two forms: it is done, or its refusal is said beside what was typed."""

    @require_POST
    @login_required
    @never_cache
    def view(request: HttpRequest) -> HttpResponse:
        player, typed = player_of(request), request.POST.get("amount", "")
        try:
            if form == "deposit" and is_offer_due(player, OfferOccasion.FIRST_DEPOSIT):
                # Who may pay nothing in is told that, and not offered limits on it.
                check_payer(player=player, at=database_now())
                return _to_offer(request)
            act(
                player=player,
                amount_cents=parse_typed_cents(typed[:100], language_of_amounts()),
                provider=request.POST.get("provider", "")[:100],
                key=key_of_form(player, request.POST.get("key", "")),
                actor=f"player:{player.pk}",
                at=database_now(),
            )
        except InvalidAmount as error:
            return _show(request, player, Refusal(form, str(error), typed[:100]))
        except RuleBroken as error:
            return _show(request, player, Refusal(form, message_of(error), typed[:100]))
        return _show(request, player) if request.htmx else redirect("cash")  # type: ignore[attr-defined]

    return view


def _to_offer(request: HttpRequest) -> HttpResponse:
    """Lead to the limits that are offered before the first deposit; nothing is paid in on the way."""
    address = reverse("limits-offer", args=["first-deposit"])
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)


pay_in = _act("deposit", start_deposit)
take_out = _act("withdrawal", request_withdrawal)


def _show(request: HttpRequest, player: Player, refusal: Refusal | None = None) -> HttpResponse:
    before = whole_number(request.GET.get("before", ""))
    requests = page_of(requests_of(player), limit=REQUESTS_A_PAGE, before=before)
    template = "_cash" if request.htmx else "cash"  # type: ignore[attr-defined]
    return render(
        request,
        f"wallets/{template}.html",
        {
            "balances": wallets_of(player),
            "address": address_of(player),
            "lines": _lines(requests),
            "older": requests[-1].pk if len(requests) == REQUESTS_A_PAGE else None,
            "before": before,
            "refusal": refusal,
            "offer_is_due": is_offer_due(player, OfferOccasion.FIRST_DEPOSIT),
            "providers": all_providers(),
            "example": style_of(language_of_amounts()).example,
            "keys": {"deposit": fresh_key(), "withdrawal": fresh_key()},
        },
    )


def _lines(requests: Sequence[CashRequest]) -> Sequence[RequestLine]:
    kept = kept_of(requests)
    return [
        RequestLine(
            one,
            # Failed is one thing, and money that came and was kept another.
            ARRIVED_WORDS[kept[one.pk]] if one.pk in kept else STATE_WORDS[CashState(one.state)],
            is_open=one.state in OPEN_STATES,
            is_unwell=one.state in UNWELL_STATES and kept.get(one.pk) != Kept.CREDITED,
        )
        for one in requests
    ]
