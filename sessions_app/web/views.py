"""The player's pages. Each act is one service call; without script the page is loaded again."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from roulette_site.common.errors import RuleBroken
from sessions_app.models import EndBasis, GameSession
from sessions_app.selectors.account import balances_of
from sessions_app.selectors.game_sessions import current_session, sessions_of
from sessions_app.selectors.play import play_state
from sessions_app.selectors.rounds import round_of_player
from sessions_app.selectors.statement import statement_of
from sessions_app.services.game_sessions import end_game_session, enter_table
from tables.models import Table
from tables.roulette.cloth import SPOTS
from tables.services.betting import SlipRefused, place_bets
from tables.services.rounds import choose_client_seed_of_seat, launch_ball
from tables.services.taking_back import take_back_all, take_back_last
from wallets.models import Player

from .keys import key_of_form
from .play_page import PlayPage

SESSIONS_SHOWN = 50


def player_of(request: HttpRequest) -> Player:
    """The player who is logged in; staff have no game of their own (404)."""
    player = getattr(request.user, "player", None)
    if player is None:
        raise Http404("You are logged in, but not as a player.")
    return player  # type: ignore[no-any-return]


@require_GET
def lobby(request: HttpRequest) -> HttpResponse:
    """The tables of the house."""
    return render(
        request, "sessions_app/lobby.html", {"tables": Table.objects.select_related("rules").order_by("name")}
    )


@require_GET
@login_required
@never_cache
def play(request: HttpRequest, slug: str) -> HttpResponse:
    """The play page; before the session begins, the door to it."""
    table, player = get_object_or_404(Table.objects.select_related("rules"), slug=slug), player_of(request)
    game_session = current_session(table=table, player=player)
    if game_session is None:
        return render(request, "sessions_app/enter.html", {"table": table})
    return render(request, "sessions_app/play.html", {"page": PlayPage(play_state(game_session)), "table": table})


@require_GET
@login_required
@never_cache
def state(request: HttpRequest, slug: str) -> HttpResponse:
    """What changes on the play page, as the parts that are swapped."""
    return _parts(request, _session(request, slug))


@require_POST
@login_required
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a game session (rule 29)."""
    table = get_object_or_404(Table, slug=slug)
    try:
        enter_table(table=table, player=player_of(request), at=timezone.now())
    except RuleBroken as error:
        return render(request, "sessions_app/enter.html", {"table": table, "refusal": error.message}, status=409)
    return redirect("play", slug=slug)


def _act(act: Callable[[HttpRequest, GameSession], Any]) -> Callable[..., HttpResponse]:
    """Make a view of an act at the table: it is done, or its refusal is said, and the page shows how things stand."""

    @require_POST
    @login_required
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        game_session = _session(request, slug)
        refusal: list[str] = []
        try:
            act(request, game_session)
        except SlipRefused as error:
            refusal = [str(breach["message"]) for breach in error.breaches]
        except RuleBroken as error:
            refusal = [error.message]
        if request.htmx:  # type: ignore[attr-defined]
            return _parts(request, game_session, refusal)
        if refusal:
            page = PlayPage(play_state(game_session), refusal=refusal)
            return render(request, "sessions_app/play.html", {"page": page, "table": page.state.table}, status=409)
        return redirect("play", slug=slug)

    view.__doc__ = act.__doc__
    return view


def _place(request: HttpRequest, game_session: GameSession) -> None:
    """Place bets: a spot and a stake, a call bet, or a whole slip as JSON."""
    place_bets(
        seat=game_session.seat,
        items=_items(request),
        key=key_of_form(game_session.player, request.POST.get("key", "")),
        actor=f"player:{game_session.player_id}",
    )


def _items(request: HttpRequest) -> list[Any]:
    form = request.POST
    if "bets" in form:
        try:
            items = json.loads(form["bets"])
        except (ValueError, RecursionError):
            items = []
        return items if isinstance(items, list) else []
    if "call" in form:
        call: dict[str, Any] = {"call": form["call"], "unit": form.get("unit")}
        for name in ("number", "neighbours", "digit"):
            if name in form:
                call[name] = _whole_number(form[name])
        return [call]
    index = _whole_number(form.get("spot", ""))
    if index is None or index >= len(SPOTS):
        return [{"type": "", "stake": form.get("stake")}]
    return [{"type": str(SPOTS[index].type), "on": list(SPOTS[index].on), "stake": form.get("stake")}]


def _whole_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None


def _launch(request: HttpRequest, game_session: GameSession) -> None:
    """Launch the ball (rule 17)."""
    launch_ball(seat=game_session.seat, at=timezone.now())


def _undo(request: HttpRequest, game_session: GameSession) -> None:
    """Take back the last slip."""
    take_back_last(seat=game_session.seat, at=timezone.now())


def _clear(request: HttpRequest, game_session: GameSession) -> None:
    """Take back everything on the cloth."""
    take_back_all(seat=game_session.seat, at=timezone.now())


def _client_seed(request: HttpRequest, game_session: GameSession) -> None:
    """Mix the player's own text into the draw."""
    choose_client_seed_of_seat(seat=game_session.seat, client_seed=request.POST.get("client_seed", "")[:64])


place, launch, undo, clear, client_seed = map(_act, (_place, _launch, _undo, _clear, _client_seed))


@require_POST
@login_required
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """End the game session and show its statement (rules 28, 29)."""
    game_session = _session(request, slug)
    end_game_session(game_session=game_session, basis=EndBasis.PLAYER, at=timezone.now())
    return redirect("statement", session_id=game_session.pk)


@require_GET
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The player's balances and latest game sessions."""
    player = player_of(request)
    return render(
        request,
        "sessions_app/account.html",
        {"balances": balances_of(player), "sessions": sessions_of(player)[:SESSIONS_SHOWN]},
    )


@require_GET
@login_required
@never_cache
def statement(request: HttpRequest, session_id: int) -> HttpResponse:
    """The statement of one of the player's own sessions."""
    game_session = get_object_or_404(sessions_of(player_of(request)), pk=session_id)
    return render(request, "sessions_app/statement.html", {"statement": statement_of(game_session)})


@require_GET
@login_required
def round_detail(request: HttpRequest, game_round_id: int) -> HttpResponse:
    """One play with all its essential elements (rule 26), and how to check its number."""
    played = round_of_player(player=player_of(request), game_round_id=game_round_id)
    if played is None:
        raise Http404("There is no such play of yours.")
    return render(request, "sessions_app/round.html", {"played": played})


def _session(request: HttpRequest, slug: str) -> GameSession:
    table = get_object_or_404(Table, slug=slug)
    game_session = current_session(table=table, player=player_of(request))
    if game_session is None:
        raise Http404("You have no open session at this table.")
    return game_session


def _parts(request: HttpRequest, game_session: GameSession, refusal: list[str] | None = None) -> HttpResponse:
    page = PlayPage(play_state(game_session), refusal=refusal or ())
    return render(request, "sessions_app/_state.html", {"page": page, "table": page.state.table, "oob": True})
