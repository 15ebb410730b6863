"""What protects a player, on pages of his account: limits and exclusion. Everything works without script."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from sessions_app.selectors.limits import limit_lines
from sessions_app.services.protection import exclude
from wallets.amounts import InvalidAmount, parse_typed_cents
from wallets.models import COUNTS_TIME, Exclusion, ExclusionKind, LimitKind, LimitPeriod, Player
from wallets.protection import PAUSES, SELF_EXCLUSIONS
from wallets.selectors.exclusion import early_ends_open_to
from wallets.selectors.gates import excluded_until
from wallets.services.exclusion import UnknownTerm, ask_for_early_end
from wallets.services.limits import InvalidLimit, confirm_loosening, set_own_limit
from wallets.templatetags.money import message_of
from wallets.web.language import language_of_amounts
from wallets.web.who import player_of

MOST_MINUTES = 60 * 24 * 31

TITLES = {
    LimitKind.DEPOSIT: _("Deposits"),
    LimitKind.LOSS: _("Losses"),
    LimitKind.STAKE: _("Stakes"),
    LimitKind.SESSION_TIME: _("Time at the tables"),
    LimitKind.REALITY_CHECK: _("Asking you whether to go on"),
}
PERIODS = {
    LimitPeriod.DAY: _("a day"),
    LimitPeriod.WEEK: _("a week"),
    LimitPeriod.MONTH: _("a month"),
    LimitPeriod.ROUND: _("a round"),
    LimitPeriod.STRETCH: _("after so much play"),
}
TERMS = {
    "24 hours": _("24 hours"),
    "7 days": _("7 days"),
    "30 days": _("30 days"),
    "3 months": _("3 months"),
    "6 months": _("6 months"),
    "1 year": _("1 year"),
    "5 years": _("5 years"),
    "without end": _("without end"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def limits(request: HttpRequest) -> HttpResponse:
    """The player's limits; POST sets one of his own. A tighter one holds at once, a looser one waits a day."""
    player = player_of(request)
    if request.method == "POST":
        try:
            kind, period = _limit_in(request)
            set_own_limit(player=player, kind=kind, period=period, value=_value_in(request, kind), at=database_now())
        except RuleBroken as error:
            return _limits_page(request, player, refusal=message_of(error))
        return redirect("limits")
    return _limits_page(request, player)


@require_POST
@login_required
def confirm(request: HttpRequest, loosening_id: int) -> HttpResponse:
    """Let a looser limit hold that was asked for a day ago or more."""
    player = player_of(request)
    try:
        confirm_loosening(player=player, loosening_id=loosening_id, at=database_now())
    except RuleBroken as error:
        return _limits_page(request, player, refusal=message_of(error))
    return redirect("limits")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def exclusion(request: HttpRequest) -> HttpResponse:
    """Pauses and self-exclusion; POST begins one, at once."""
    player = player_of(request)
    if request.method == "POST":
        try:
            if request.POST.get("sure") != "yes":
                raise UnknownTerm("Say that you are sure: nobody can end it for you.")
            exclude(player=player, term=request.POST.get("term", ""), at=database_now())
        except RuleBroken as error:
            return _exclusion_page(request, player, refusal=message_of(error))
        return redirect("exclusion")
    return _exclusion_page(request, player)


@require_POST
@login_required
def early_end(request: HttpRequest) -> HttpResponse:
    """Ask that a self-exclusion ends: a month later, and three months after it began at the earliest."""
    player = player_of(request)
    try:
        ask_for_early_end(player=player, at=database_now())
    except RuleBroken as error:
        return _exclusion_page(request, player, refusal=message_of(error))
    return redirect("exclusion")


def _limit_in(request: HttpRequest) -> tuple[LimitKind, LimitPeriod]:
    try:
        return LimitKind(request.POST.get("kind", "")), LimitPeriod(request.POST.get("period", ""))
    except ValueError:
        raise InvalidLimit("There is no such limit.") from None


def _value_in(request: HttpRequest, kind: LimitKind) -> int | None:
    text = request.POST.get("value", "").strip()
    return None if text == "" else value_of(text, kind)


def value_of(text: str, kind: LimitKind) -> int:
    """What was typed as a limit, in cents or seconds; raises InvalidLimit."""
    if kind in COUNTS_TIME:
        if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) <= MOST_MINUTES):
            raise InvalidLimit("The time is a whole number of minutes.")
        return int(text) * 60
    try:
        return parse_typed_cents(text, language_of_amounts())
    except InvalidAmount as error:
        raise InvalidLimit(str(error)) from error


def _limits_page(request: HttpRequest, player: Player, *, refusal: str = "") -> HttpResponse:
    lines = limit_lines(player, database_now())
    groups = [
        (TITLES[kind], [(line, PERIODS[line.period]) for line in lines if line.kind == kind]) for kind in LimitKind
    ]
    context = {"groups": groups, "refusal": refusal}
    return render(request, "sessions_app/limits.html", context, status=409 if refusal else 200)


def _exclusion_page(request: HttpRequest, player: Player, *, refusal: str = "") -> HttpResponse:
    now, until = database_now(), excluded_until(player)
    running = Exclusion.objects.filter(player=player).select_related("early_end").order_by("-id")
    # He is told when the last of them would end, since till then he is excluded.
    early = max((end for _, end in early_ends_open_to(player, now)), default=None)
    own = [one for one in running if one.kind == ExclusionKind.SELF and not hasattr(one, "early_end")]
    context = {
        "until": until if until is not None and until > now else None,
        "is_endless": until is not None and until.year == 9999,
        "early": early,
        # An own one that runs, and would end no sooner for being asked.
        "no_sooner": max((one.ends_at for one in own if one.ends_at is not None and one.ends_at > now), default=None),
        "history": running,
        "pauses": [(term, TERMS[term]) for term in PAUSES],
        "terms": [(term, TERMS[term]) for term in SELF_EXCLUSIONS],
        "refusal": refusal,
    }
    return render(request, "sessions_app/exclusion.html", context, status=409 if refusal else 200)
