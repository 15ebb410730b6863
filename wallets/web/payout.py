"""Where a player is paid out to: what holds, and naming another account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from wallets.iban import LONGEST_TYPED, IbanRefused, check_iban
from wallets.models import Player
from wallets.selectors.payout import address_of
from wallets.services.cash_requests import ADDRESS_IS_NEW
from wallets.services.payout import set_payout_address
from wallets.templatetags.money import message_of

from .second_factor import OwnerForm
from .who import player_of


class PayoutAddressForm(OwnerForm):
    """An IBAN, from its owner."""

    iban = forms.CharField(max_length=LONGEST_TYPED, label=gettext_lazy("IBAN"))
    field_order = ("iban", "password", "code")

    def clean_iban(self) -> str:
        """Say what is wrong with the number, before a code is used up for it."""
        try:
            return check_iban(self.cleaned_data["iban"])
        except IbanRefused as refused:
            raise forms.ValidationError(message_of(refused)) from None


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
@sensitive_post_parameters("iban", "password", "code")
def payout_address(request: HttpRequest) -> HttpResponse:
    """Show where the player is paid out to, masked; POST names another account."""
    player = player_of(request)
    if request.method != "POST":
        return _page(request, player, PayoutAddressForm(request))
    form = PayoutAddressForm(request, request.POST)
    if not form.is_valid():
        return _page(request, player, form, status=422)
    try:
        address = set_payout_address(player=player, iban=form.cleaned_data["iban"], at=database_now())
    except RuleBroken as refused:
        form.add_error("iban", message_of(refused))
        return _page(request, player, form, status=409)
    messages.success(request, _("You are paid out to %(address)s.") % {"address": address.masked})
    return redirect("payout-address")


def _page(request: HttpRequest, player: Player, form: PayoutAddressForm, *, status: int = 200) -> HttpResponse:
    address, now = address_of(player), database_now()
    context: dict[str, Any] = {
        "form": form,
        "address": address,
        "held_until": address.set_at + ADDRESS_IS_NEW
        if address is not None and now < address.set_at + ADDRESS_IS_NEW
        else None,
    }
    return render(request, "wallets/payout_address.html", context, status=status)
