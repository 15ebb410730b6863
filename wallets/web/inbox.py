"""The player's inbox. Opening it is reading it."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.models import COUNTS_TIME, ExclusionKind, InboxKind, InboxMessage, LimitKind, LimitPeriod, Reason
from wallets.selectors.inbox import MESSAGES_A_PAGE, messages_of
from wallets.selectors.suspense import Kept
from wallets.services.adjustments import CAUSES
from wallets.services.inbox import mark_read
from wallets.services.papers import CAUSES as CAUSES_OF_PAPERS
from wallets.templatetags.money import money

from .who import player_of
from .words import KEPT_WORDS, REASON_WORDS

_STATES = {
    "pending": gettext_lazy("Your papers are being checked."),
    "verified": gettext_lazy("The house knows who you are now: you can play for money, and be paid out."),
    "rejected": gettext_lazy("The house could not find out who you are by your papers."),
    "expired": gettext_lazy("Your papers have run out. Send new ones to play on."),
    "expires_soon": gettext_lazy("Your document runs out within 30 days. Send the new one, and you can play on."),
    "renewed": gettext_lazy("The house has taken your new papers."),
    "corrected": gettext_lazy("The house has corrected the name or the birth date that it has of you."),
    "papers_refused": gettext_lazy("The house cannot use the new papers that you sent."),
    "unverified": gettext_lazy("The house does not know yet who you are."),
    "active": gettext_lazy("Your account is in use again."),
    "suspended": gettext_lazy("Your account is suspended. Ask the house why."),
    "closing": gettext_lazy(
        "Your account is being closed: nothing is bet or paid in any more, and what you have goes to you."
    ),
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
    # Where more of it stands.
    address: str = ""


@require_safe
@login_required
@never_cache
def inbox(request: HttpRequest) -> HttpResponse:
    """What the player was told, the latest first; what is new is marked, and from then on read."""
    player = player_of(request)
    before = whole_number(request.GET.get("before", ""))
    found = messages_of(player, before=before)
    with timezone.override(player.time_zone):
        lines = [Line(sentence_of(one), one.told_at, not hasattr(one, "reading"), _address_of(one)) for one in found]
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
        case InboxKind.CORRECTION:
            given = data["direction"] == "credit"
            way = _("%(what)s of %(at)s was corrected: %(amount)s more are in your wallet.")
            if not given:
                way = _("%(what)s of %(at)s was corrected: %(amount)s were taken from your wallet.")
            words = {"what": REASON_WORDS[Reason(data["of"])], "at": _instant(data["moved_at"])}
            return way % {**words, "amount": money(data["amount_cents"], data["unit"])}
        case InboxKind.DEPOSIT if "state" in data:
            words = {"amount": money(data["amount_cents"], data["unit"]), "request": data["request"]}
            return str(KEPT_WORDS[Kept(data["state"])]) % words
        case InboxKind.WITHDRAWAL:
            words = {"amount": money(data["amount_cents"], data["unit"]), "request": data["request"]}
            return _("Your withdrawal %(request)s was refused, and %(amount)s are back in your wallet.") % words
        case InboxKind.DEPOSIT:
            amount = money(data["amount_cents"], data["unit"])
            return _("%(amount)s that came for you without saying so are in your wallet now.") % {"amount": amount}
        case InboxKind.LIMIT:
            if data["value"] is None:
                return _("The house's limit of %(what)s is lifted.") % {"what": _limit(data)}
            return _("The house limits %(what)s to %(value)s.") % {"what": _limit(data), "value": _value(data)}
        case InboxKind.LOOSENING:
            words = {"what": _limit(data), "from": _instant(data["confirmable_at"]), "to": _instant(data["lapses_at"])}
            return _("You asked for a looser limit of %(what)s. Confirm it between %(from)s and %(to)s.") % words
        case InboxKind.EXCLUSION:
            return _exclusion(data)
        case InboxKind.RULES:
            words = {"table": data["table"], "version": data["version"], "at": _instant(data["in_force_from"])}
            return _("At %(table)s version %(version)s of the rules is in force since %(at)s.") % words
        case InboxKind.ANSWER:
            return _("The house has answered your complaint %(reference)s.") % {"reference": data["reference"]}
        case InboxKind.RECEIVABLE if "owed_cents" in data:
            amount = money(data["owed_cents"], data["unit"])
            return _("A correction was more than your wallet held: you owe the house %(amount)s.") % {"amount": amount}
        case InboxKind.RECEIVABLE:
            amount = money(data["paid_cents"], data["unit"])
            return _("With your consent %(amount)s of what you owe were taken from your wallet.") % {"amount": amount}
        case InboxKind.PAYOUT_ADDRESS if "wanted" in data:
            if data["refused"] is None:
                return _("Your account is being closed: say which bank account gets what you have left.")
            return _("The bank refused your last payment: name another account for what you have left.")
        case InboxKind.PAYOUT_ADDRESS:
            words = {"address": data["masked"], "help": _("tell the house at once and change your password")}
            return _("You are paid out to %(address)s from now on. Was it not you? Then %(help)s.") % words
    state = data.get("state", "")
    said = str(_STATES.get(state, message.get_kind_display()))
    if state in ("rejected", "papers_refused"):
        return f"{said} {CAUSES_OF_PAPERS[data.get('cause', 'other')]}"
    return said


def _address_of(message: InboxMessage) -> str:
    if message.kind == InboxKind.RULES:
        return reverse("rules-version", args=[message.data["rulebook"], message.data["version"]])
    return ""


def _exclusion(data: dict[str, Any]) -> str:
    if "lifted" in data:
        return _("Your exclusion has ended.")
    if data["by"] == ExclusionKind.DOUBLE:
        said = _("Another account with your particulars is excluded, so this one is as well: %(until)s. %(ask)s")
        until = _("without end") if data["ends_at"] is None else _("until %(at)s") % {"at": _instant(data["ends_at"])}
        ask = _("What you have you may withdraw. If it is not yours, write to the house.")
        return said % {"until": until, "ask": ask}
    if data["ends_at"] is None:
        return _("You are excluded without end. What you have you may withdraw.")
    return _("You are excluded until %(at)s. What you have you may withdraw.") % {"at": _instant(data["ends_at"])}


def _limit(data: dict[str, Any]) -> str:
    return f"{LimitKind(data['kind']).label}, {LimitPeriod(data['period']).label}"


def _value(data: dict[str, Any]) -> str:
    if LimitKind(data["kind"]) in COUNTS_TIME:
        return f"{data['value'] // 60} min"
    return money(data["value"])


def _instant(text: str) -> str:
    return date_format(timezone.localtime(dt.datetime.fromisoformat(text)), "j M Y, H:i")
