"""A player pays back what he owes, by his own act."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from wallets.amounts import InvalidAmount, parse_typed_cents
from wallets.models import Unit
from wallets.services.corrections import pay_back
from wallets.templatetags.money import message_of, money
from wallets.web.language import language_of_amounts

from .keys import key_of_form
from .who import player_of


@require_POST
@login_required
@never_cache
def pay_back_owed(request: HttpRequest) -> HttpResponse:
    """Pay back an amount from the wallet; the account page says how it went."""
    player = player_of(request)
    try:
        cents = parse_typed_cents(request.POST.get("amount", "")[:100], language_of_amounts())
        pay_back(
            player=player,
            unit=Unit.EUR,
            amount_cents=cents,
            actor=f"player:{player.pk}",
            at=database_now(),
            key=key_of_form(player, request.POST.get("key", "")),
        )
    except InvalidAmount as error:
        messages.error(request, str(error))
    except RuleBroken as error:
        messages.error(request, message_of(error))
    else:
        messages.success(request, _("You have paid back %(amount)s.") % {"amount": money(cents)})
    return redirect("account")
