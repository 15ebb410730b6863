"""The page on which a player closes his account, and sees how far it has come."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from sessions_app.services.closing import close_own_account
from wallets.models import Player, Standing, Unit
from wallets.selectors.closing import hindrances_of, money_of, open_withdrawals_of
from wallets.selectors.payout import address_of
from wallets.selectors.receivables import owed_by
from wallets.services.logins import LONGEST_REASON
from wallets.templatetags.money import message_of
from wallets.web.second_factor import OwnerForm
from wallets.web.who import player_of


class ClosingForm(OwnerForm):
    """That one is sure, and why, from the owner of the account."""

    sure = forms.BooleanField(
        label=_("I am sure"), error_messages={"required": _("Say that you are sure: nobody can open it again.")}
    )
    reason = forms.CharField(max_length=LONGEST_REASON, required=False, label=_("Why, if you like to say"))
    field_order = ("reason", "sure", "password", "code")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
@sensitive_post_parameters("password", "code")
def closing(request: HttpRequest) -> HttpResponse:
    """Say what closing means, or how far it has come; POST begins it."""
    player = player_of(request)
    if request.method != "POST":
        return _page(request, player, ClosingForm(request))
    form = ClosingForm(request, request.POST)
    if not form.is_valid():
        return _page(request, player, form, status=422)
    try:
        close_own_account(player=player, reason=form.cleaned_data["reason"], at=database_now())
    except RuleBroken as refused:
        form.add_error(None, message_of(refused))
        return _page(request, player, form, status=409)
    return redirect("closing")


def _page(request: HttpRequest, player: Player, form: ClosingForm, *, status: int = 200) -> HttpResponse:
    is_closing = player.standing == Standing.CLOSING
    context: dict[str, Any] = {
        "form": form,
        "is_closing": is_closing,
        "hindrances": hindrances_of(player),
        "balance_cents": money_of(player),
        "withdrawals": open_withdrawals_of(player) if is_closing else (),
        "address": address_of(player),
        "owed": [one for one in owed_by(player) if one.unit == Unit.EUR],
        "kyc_state": player.kyc_state,
    }
    return render(request, "sessions_app/closing.html", context, status=status)
