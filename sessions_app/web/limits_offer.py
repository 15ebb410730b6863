"""Limits as a step of its own, before the first game and the first deposit: filled in, or passed over in one act."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from sessions_app.selectors.limits import limit_lines
from sessions_app.services.protection import answer_limits_offer
from wallets.models import COUNTS_TIME, LimitKind, LimitPeriod, OfferOccasion, Player
from wallets.selectors.limits_offers import is_offer_due
from wallets.templatetags.money import message_of
from wallets.web.who import player_of

from .protection import PERIODS, TITLES, value_of

# Where the player was going.
NEXT = {OfferOccasion.REGISTRATION: "lobby", OfferOccasion.FIRST_DEPOSIT: "cash"}
# The question whether to go on comes by itself.
OFFERED = (LimitKind.DEPOSIT, LimitKind.LOSS, LimitKind.STAKE, LimitKind.SESSION_TIME)


@dataclass(frozen=True)
class Field:
    """One limit that can be set; empty, whatever others set: nothing is suggested."""

    kind: LimitKind
    period: LimitPeriod
    words: Any
    typed: str
    fault: str
    counts_time: bool

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.period}"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def limits_offer(request: HttpRequest, occasion: str) -> HttpResponse:
    """Offer limits; POST sets those that are filled in, all or none, or passes the step over."""
    player = player_of(request)
    try:
        on = OfferOccasion(occasion.replace("-", "_"))
    except ValueError:
        raise Http404("Limits are not offered then.") from None
    if not is_offer_due(player, on):
        return redirect(NEXT[on])
    if request.method != "POST":
        return _page(request, player, on)
    typed = {} if request.POST.get("skip") else {field: request.POST.get(field, "") for field in request.POST}
    return _answer(request, player, on, typed)


def _answer(request: HttpRequest, player: Player, on: OfferOccasion, typed: dict[str, str]) -> HttpResponse:
    limits, faults = {}, {}
    for field in _fields(player, {}, {}):
        text = typed.get(field.name, "")[:40].strip()
        if not text:
            continue
        try:
            limits[field.kind, field.period] = value_of(text, field.kind)
        except RuleBroken as error:
            faults[field.name] = message_of(error)
    if not faults:
        try:
            answer_limits_offer(player=player, occasion=on, limits=limits, at=database_now())
            return redirect(NEXT[on])
        except RuleBroken as error:
            faults[""] = message_of(error)
    return _page(request, player, on, typed=typed, faults=faults, status=422)


def _fields(player: Player, typed: dict[str, str], faults: dict[str, str]) -> list[Field]:
    """What the player has no limit of his own of yet; the others he changes on the page of his limits."""
    return [
        Field(
            kind=line.kind,
            period=line.period,
            words=PERIODS[line.period],
            typed=typed.get(f"{line.kind}-{line.period}", ""),
            fault=faults.get(f"{line.kind}-{line.period}", ""),
            counts_time=line.kind in COUNTS_TIME,
        )
        for line in limit_lines(player, database_now())
        if line.kind in OFFERED and line.own is None
    ]


def _page(
    request: HttpRequest,
    player: Player,
    on: OfferOccasion,
    *,
    typed: dict[str, str] | None = None,
    faults: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    fields = _fields(player, typed or {}, faults or {})
    groups = [(TITLES[kind], [one for one in fields if one.kind == kind]) for kind in OFFERED]
    context = {
        "groups": [(title, found) for title, found in groups if found],
        "is_first_deposit": on == OfferOccasion.FIRST_DEPOSIT,
        "refusal": (faults or {}).get("", ""),
    }
    return render(request, "sessions_app/limits_offer.html", context, status=status)
