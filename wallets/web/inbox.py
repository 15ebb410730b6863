"""The player's inbox. Opening it is reading it."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.models import InboxKind, InboxMessage, LimitKind, LimitPeriod
from wallets.selectors.inbox import MESSAGES_A_PAGE, messages_of
from wallets.services.adjustments import CAUSES
from wallets.services.inbox import mark_read
from wallets.templatetags.money import money

from .who import player_of

_TIME = (LimitKind.SESSION_TIME, LimitKind.REALITY_CHECK)
_STATES = {
    "pending": gettext_lazy("Your papers are being checked."),
    "verified": gettext_lazy("The house knows who you are now: you can play for money, and be paid out."),
    "rejected": gettext_lazy("The house could not find out who you are. Ask it why."),
    "expired": gettext_lazy("Your papers have run out. Send new ones to play on."),
    "unverified": gettext_lazy("The house does not know yet who you are."),
    "active": gettext_lazy("Your account is in use again."),
    "suspended": gettext_lazy("Your account is suspended. Ask the house why."),
    "closed": gettext_lazy("Your account is closed."),
    "true": gettext_lazy("You may not play for money."),
    "false": gettext_lazy("You may play for money again."),
}


@dataclass(frozen=True)
class Line:
    """A message as the page shows it."""

    sentence: str
    told_at: dt.datetime
    is_new: bool


@require_safe
@login_required
@never_cache
def inbox(request: HttpRequest) -> HttpResponse:
    """What the player was told, the latest first; what is new is marked, and from then on read."""
    player = player_of(request)
    before = whole_number(request.GET.get("before", ""))
    found = messages_of(player, before=before)
    with timezone.override(player.time_zone):
        lines = [Line(sentence_of(one), one.told_at, not hasattr(one, "reading")) for one in found]
    if request.method == "GET":
        mark_read(player=player, at=database_now())
    older = found[-1].pk if len(found) == MESSAGES_A_PAGE else None
    return render(request, "wallets/inbox.html", {"lines": lines, "older": older})


def sentence_of(message: InboxMessage) -> str:
    """What the player reads."""
    data = message.data
    match message.kind:
        case InboxKind.ADJUSTMENT:
            given = data["direction"] == "credit"
            way = _("%(amount)s were given to you: %(cause)s.") if given else _("%(amount)s were taken: %(cause)s.")
            return way % {"amount": money(data["amount_cents"]), "cause": CAUSES[data["cause"]]}
        case InboxKind.LIMIT:
            if data["value"] is None:
                return _("The house's limit of %(what)s is lifted.") % {"what": _limit(data)}
            return _("The house limits %(what)s to %(value)s.") % {"what": _limit(data), "value": _value(data)}
        case InboxKind.LOOSENING:
            words = {"what": _limit(data), "from": _instant(data["confirmable_at"]), "to": _instant(data["lapses_at"])}
            return _("You asked for a looser limit of %(what)s. Confirm it between %(from)s and %(to)s.") % words
        case InboxKind.EXCLUSION:
            return _exclusion(data)
    return str(_STATES.get(data.get("state", ""), message.get_kind_display()))


def _exclusion(data: dict[str, Any]) -> str:
    if "lifted" in data:
        return _("Your exclusion has ended.")
    if data["ends_at"] is None:
        return _("You are excluded without end. What you have you may withdraw.")
    return _("You are excluded until %(at)s. What you have you may withdraw.") % {"at": _instant(data["ends_at"])}


def _limit(data: dict[str, Any]) -> str:
    return f"{LimitKind(data['kind']).label}, {LimitPeriod(data['period']).label}"


def _value(data: dict[str, Any]) -> str:
    if LimitKind(data["kind"]) in _TIME:
        return f"{data['value'] // 60} min"
    return money(data["value"])


def _instant(text: str) -> str:
    return date_format(timezone.localtime(dt.datetime.fromisoformat(text)), "j M Y, H:i")
