"""One player for staff: how he stands, what protects him, and what may be done about it by one person or by two."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import make_request
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.acts.money import ADJUST, CORRECT
from wallets.acts.protection import LIFT, LOOSEN, arguments_of_loosening, limit_in_words
from wallets.acts.standing import FREE, REINSTATE
from wallets.amounts import InvalidAmount, parse_typed_cents
from wallets.models import COUNTS_TIME, Exclusion, KycState, LimitKind, LimitPeriod, LimitSide, Person, Player, Standing
from wallets.selectors.balances import wallets_of
from wallets.selectors.closing import hindrances_of
from wallets.selectors.corrections import left_to_correct
from wallets.selectors.gates import excluded_until, limits_of
from wallets.selectors.payout import address_of, others_paid_to
from wallets.selectors.people import find_duplicates
from wallets.selectors.registers import unchecked_from
from wallets.selectors.restricted import entries_against
from wallets.services.adjustments import CAUSES
from wallets.services.closing import begin_closing
from wallets.services.exclusion import exclude_player
from wallets.services.limits import PERIODS, InvalidLimit, set_operator_limit
from wallets.services.staff_corrections import CORRECTABLE
from wallets.services.standing import set_kyc_state, set_restricted, set_standing

from .doors import actor_of, context_of, staff_page

SEE = "wallets.view_player"
# Of an account in these states nobody has asked for the end.
IN_USE = (Standing.ACTIVE, Standing.SUSPENDED)
# Older transfers are corrected by their number.
MOST_TO_CORRECT = 20


class NotVerifiedHere(RuleBroken):
    """There is one door to being verified, where the document and the doubles are looked at."""

    code = "not_verified_here"


def _kyc(request: HttpRequest, player: Player) -> None:
    state = _choice(KycState, request, "state")
    if state == KycState.VERIFIED:
        raise NotVerifiedHere("He is verified on the page of his papers, by the document on record.")
    set_kyc_state(player=player, state=state, **_said(request))


def _suspend(request: HttpRequest, player: Player) -> None:
    set_standing(player=player, standing=Standing.SUSPENDED, **_said(request))


def _ask_reinstating(request: HttpRequest, player: Player) -> None:
    _ask(request, REINSTATE, {"player": player.pk})


def _close(request: HttpRequest, player: Player) -> None:
    begin_closing(player=player, **_said(request))


def _restrict(request: HttpRequest, player: Player) -> None:
    set_restricted(player=player, is_restricted=True, **_said(request))


def _ask_freeing(request: HttpRequest, player: Player) -> None:
    _ask(request, FREE, {"player": player.pk})


def _limit(request: HttpRequest, player: Player) -> None:
    kind, period = _choice(LimitKind, request, "kind"), _choice(LimitPeriod, request, "period")
    set_operator_limit(player=player, kind=kind, period=period, value=_value(request, kind), **_said(request))


def _exclude(request: HttpRequest, player: Player) -> None:
    exclude_player(player=player, ends_at=None, **_said(request))


def _ask_adjustment(request: HttpRequest, player: Player) -> None:
    arguments = {
        "player": player.pk,
        "direction": request.POST.get("direction", ""),
        "amount_cents": _cents(request),
        "cause": request.POST.get("cause", ""),
    }
    _ask(request, ADJUST, arguments)


def _ask_correction(request: HttpRequest, player: Player) -> None:
    arguments = {
        "player": player.pk,
        "transfer": whole_number(request.POST.get("transfer", "")) or 0,
        "amount_cents": _cents(request),
    }
    _ask(request, CORRECT, arguments)


def _ask_loosening(request: HttpRequest, player: Player) -> None:
    kind, period = _choice(LimitKind, request, "kind"), _choice(LimitPeriod, request, "period")
    # An empty field asks for the limit to be lifted.
    value = _value(request, kind) if request.POST.get("amount", "").strip() else None
    _ask(request, LOOSEN, arguments_of_loosening(player=player, kind=kind, period=period, value=value))


def _ask_lifting(request: HttpRequest, player: Player) -> None:
    found = get_object_or_404(Exclusion, player=player, pk=whole_number(request.POST.get("exclusion", "")) or 0)
    _ask(request, LIFT, {"player": player.pk, "exclusion": found.pk})


# Each with the right that it needs.
ACTS: dict[str, tuple[str, Callable[[HttpRequest, Player], None]]] = {
    "kyc": ("wallets.decide_kyc", _kyc),
    "suspend": ("wallets.suspend_player", _suspend),
    "close": ("wallets.close_account", _close),
    "restrict": ("wallets.suspend_player", _restrict),
    "limit": ("wallets.protect_player", _limit),
    "exclude": ("wallets.protect_player", _exclude),
    "ask-adjustment": ("common.request_finance", _ask_adjustment),
    "ask-correction": ("common.request_finance", _ask_correction),
    "ask-loosening": ("common.request_compliance", _ask_loosening),
    "ask-reinstating": ("common.request_compliance", _ask_reinstating),
    "ask-freeing": ("common.request_compliance", _ask_freeing),
    "ask-lifting": ("common.request_compliance", _ask_lifting),
}


# Which right an act needs is the act's to say, below.
@staff_page(see=SEE, act=SEE)
def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show how a player stands; a POST is one of the acts, or asks for one that a second person decides."""
    player = get_object_or_404(Player.objects.select_related("user"), pk=min(player_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        found = ACTS.get(request.POST.get("act", ""))
        if found is None:
            return HttpResponse(status=400)
        right, act = found
        if not request.user.has_perm(right):
            raise PermissionDenied
        try:
            act(request, player)
        except RuleBroken as error:
            refusal = error.message
        else:
            asked = request.POST["act"].startswith("ask-")
            messages.success(request, "Asked: another person decides it." if asked else "Done.")
            return redirect("staff-player", player_id=player.pk)
        player.refresh_from_db()
    return _page(request, player, refusal)


def _page(request: HttpRequest, player: Player, refusal: str) -> HttpResponse:
    now, until, address = database_now(), excluded_until(player), address_of(player)
    context: dict[str, Any] = {
        **context_of(request, f"Player {player.handle}"),
        "player": player,
        "wallets": wallets_of(player),
        "address": address,
        "address_shared_with": others_paid_to(address) if address is not None else (),
        "until": until if until is not None and until > now else None,
        "limits": [
            (row, row.value if row.kind not in COUNTS_TIME else limit_in_words(LimitKind(row.kind), row.value))
            for side in LimitSide
            for row in limits_of(player, side).values()
            if row.value is not None
        ],
        "exclusions": Exclusion.objects.filter(player=player).select_related("early_end").order_by("-id"),
        "checks": player.register_checks.order_by("-asked_at", "-id")[:10]
        if request.user.has_perm("wallets.view_registercheck")
        else (),
        "unchecked_from": unchecked_from(player),
        "entries": entries_against(player, at=now) if request.user.has_perm("wallets.view_restrictedentry") else (),
        "changes": player.standing_changes.order_by("-id")[:50],
        "may_kyc": request.user.has_perm("wallets.decide_kyc"),
        "may_suspend": request.user.has_perm("wallets.suspend_player"),
        "may_protect": request.user.has_perm("wallets.protect_player"),
        "may_ask_finance": request.user.has_perm("common.request_finance"),
        "may_ask_compliance": request.user.has_perm("common.request_compliance"),
        "kyc_states": [one for one in KycState.choices if one[0] != KycState.VERIFIED],
        "may_close": request.user.has_perm("wallets.close_account") and player.standing in IN_USE,
        "hindrances": hindrances_of(player) if player.standing == Standing.CLOSING else (),
        "kinds": [(kind.value, kind.label) for kind in PERIODS],
        "periods": LimitPeriod.choices,
        "causes": CAUSES.items(),
        "correctable": left_to_correct(player, reasons=CORRECTABLE, limit=MOST_TO_CORRECT)
        if request.user.has_perm("common.request_finance")
        else (),
        "doubles": _doubles_of(player) if request.user.has_perm("wallets.decide_kyc") else (),
        "trail": reverse("staff:trail", args=["player", player.pk]),
        "refusal": refusal,
    }
    return render(request, "wallets/staff/player.html", context, status=409 if refusal else 200)


def _doubles_of(player: Player) -> list[Person]:
    person = Person.objects.filter(user=player.user_id).first()
    found = find_duplicates(person) if person is not None else ()
    return [one for one in found if hasattr(one.user, "player")]


def _said(request: HttpRequest) -> dict[str, Any]:
    return {"reason": request.POST.get("reason", ""), "actor": actor_of(request), "at": database_now()}


def _ask(request: HttpRequest, act: str, arguments: Mapping[str, Any]) -> None:
    make_request(
        act=act,
        arguments=arguments,
        user=request.user,
        reason=request.POST.get("reason", ""),
        evidence=request.POST.get("evidence", ""),
        at=database_now(),
    )


def _choice(choices: Any, request: HttpRequest, name: str) -> Any:
    try:
        return choices(request.POST.get(name, ""))
    except ValueError:
        raise InvalidLimit("There is no such choice.") from None


def _cents(request: HttpRequest) -> int:
    try:
        return parse_typed_cents(request.POST.get("amount", ""), "en")
    except InvalidAmount as error:
        raise InvalidLimit(str(error)) from error


def _value(request: HttpRequest, kind: LimitKind) -> int:
    typed = request.POST.get("amount", "").strip()
    if kind not in COUNTS_TIME:
        return _cents(request)
    minutes = whole_number(typed)
    if minutes is None:
        raise InvalidLimit("Write the time in whole minutes, such as 90.")
    return minutes * 60
