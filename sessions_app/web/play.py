"""The play page and what can be done on it. Each act is one service call; without script the page is loaded again."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from roulette_site.common.errors import RuleBroken
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from roulette_site.common.strict_json import InvalidJson, read_json
from sessions_app.models import EndBasis, GameSession
from sessions_app.selectors.game_sessions import current_session, sessions_of
from sessions_app.selectors.play import play_state
from sessions_app.services.game_sessions import end_game_session
from sessions_app.services.protection import acknowledge_reality_check
from tables.models import Table
from tables.roulette.cloth import SPOTS
from tables.services.betting import SlipRefused, place_bets
from tables.services.client_seed import choose_client_seed_of_seat
from tables.services.rounds import launch_ball
from tables.services.taking_back import take_back, take_back_all
from wallets.amounts import InvalidAmount, format_cents, has_two_readings, parse_cents, parse_typed_cents
from wallets.templatetags.money import message_of
from wallets.web.keys import key_of_form
from wallets.web.language import language_of_amounts
from wallets.web.who import player_of

from .lobby import entrance
from .play_page import PlayPage
from .refusals import sentences_of

MOST_TYPED = 100


@require_safe
@login_required
@never_cache
def play(request: HttpRequest, slug: str) -> HttpResponse:
    """The play page; before the session begins, the door to it."""
    table, player = get_object_or_404(Table.objects.select_related("rules"), slug=slug), player_of(request)
    game_session = current_session(table=table, player=player)
    return entrance(request, table) if game_session is None else _whole_page(request, game_session)


@require_safe
@login_required
@never_cache
def state(request: HttpRequest, slug: str) -> HttpResponse:
    """What changes on the play page, as the parts that are swapped; the whole page once the session has ended."""
    game_session = _open_session(request, slug)
    return redirect("play", slug=slug) if game_session is None else _parts(request, game_session)


@require_safe
@login_required
@never_cache
def last_play(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the latest play at the table (rule 26); to the account where there is none yet."""
    game_session = _open_session(request, slug)
    last = None if game_session is None else play_state(game_session).last_play
    return redirect("account") if last is None else redirect("round", game_round_id=last.game_round_id)


def _act(act: Callable[[HttpRequest, GameSession], Any]) -> Callable[..., HttpResponse]:
    """Make a view of an act at the table: it is done, or its refusal is said, and the page shows how things stand."""

    @require_POST
    @login_required
    @never_cache
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        game_session = _open_session(request, slug)
        if game_session is None:
            # The page is older than the end of its session: the door to the table says how things stand.
            return redirect("play", slug=slug)
        refusal: list[str] = []
        try:
            act(request, game_session)
        except SlipRefused as error:
            refusal = sentences_of(error)
        except RuleBroken as error:
            refusal = [message_of(error)]
        if request.htmx:  # type: ignore[attr-defined]
            return _parts(request, game_session, refusal, is_answer=True)
        return _whole_page(request, game_session, refusal) if refusal else redirect("play", slug=slug)

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


class SlipUnreadable(RuleBroken):
    """What was sent as a slip is none."""

    code = "invalid_request"


def _items(request: HttpRequest) -> list[Any]:
    form = request.POST
    if "bets" in form:
        try:
            items = read_json(form["bets"])
        except InvalidJson as error:
            raise SlipUnreadable(f"The bets cannot be read: {error}") from error
        if not isinstance(items, list):
            raise SlipUnreadable("The bets cannot be read: they are no list.")
        return items
    if "call" in form:
        call: dict[str, Any] = {"call": form["call"], "unit": _amount(form.get("unit"))}
        for name in ("number", "neighbours", "digit"):
            if name in form:
                call[name] = whole_number(form[name])
        return [call]
    index = whole_number(form.get("spot", ""))
    if index is None or index >= len(SPOTS):
        return [{"type": "", "stake": _amount(form.get("stake"))}]
    return [{"type": str(SPOTS[index].type), "on": list(SPOTS[index].on), "stake": _amount(form.get("stake"))}]


def _amount(text: str | None) -> str | None:
    """The amount as bets have it, where it was typed as the player's language writes it; chips say it so already."""
    if text is None:
        return None
    typed = text[:MOST_TYPED]
    if has_two_readings(typed):
        # On the cloth the page never writes thousands without their cents, and a stake is not guessed at.
        raise SlipUnreadable(f"{typed.strip()} can be read in two ways: write the stake with its cents.")
    try:
        return format_cents(parse_typed_cents(typed, language_of_amounts()))
    except InvalidAmount as error:
        try:
            return format_cents(parse_cents(typed))
        except InvalidAmount:
            raise SlipUnreadable(str(error)) from error


def _launch(request: HttpRequest, game_session: GameSession) -> None:
    """Launch the ball (rule 17). The form names its round, so that sent again it never launches the next."""
    game_round_id = whole_number(request.POST.get("round", "")) or 0
    launch_ball(seat=game_session.seat, at=database_now(), game_round_id=game_round_id)


def _undo(request: HttpRequest, game_session: GameSession) -> None:
    """Take back a slip. The form names it, so that sent again it takes back no other."""
    take_back(seat=game_session.seat, slip_id=whole_number(request.POST.get("slip", "")) or 0, at=database_now())


def _clear(request: HttpRequest, game_session: GameSession) -> None:
    """Take back everything on the cloth."""
    take_back_all(seat=game_session.seat, at=database_now())


def _client_seed(request: HttpRequest, game_session: GameSession) -> None:
    """Mix the player's own text into the draw."""
    choose_client_seed_of_seat(seat=game_session.seat, client_seed=request.POST.get("client_seed", ""))


def _go_on(request: HttpRequest, game_session: GameSession) -> None:
    """Say, after a stretch of play, that the player goes on."""
    acknowledge_reality_check(game_session=game_session, at=database_now())


place, launch, undo, clear, client_seed, go_on = map(_act, (_place, _launch, _undo, _clear, _client_seed, _go_on))


@require_POST
@login_required
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """End the game session and show its statement (rules 28, 29); sent again, show it again."""
    game_session = _open_session(request, slug)
    if game_session is not None:
        end_game_session(game_session=game_session, basis=EndBasis.PLAYER, at=database_now())
    ended = game_session or sessions_of(player_of(request)).filter(seat__table__slug=slug).first()
    return redirect("play", slug=slug) if ended is None else redirect("statement", session_id=ended.pk)


def _open_session(request: HttpRequest, slug: str) -> GameSession | None:
    return current_session(table=get_object_or_404(Table, slug=slug), player=player_of(request))


def _whole_page(request: HttpRequest, game_session: GameSession, refusal: Sequence[str] = ()) -> HttpResponse:
    page = PlayPage(play_state(game_session), shown_at=database_now(), refusal=refusal)
    return render(
        request, "sessions_app/play.html", {"page": page, "table": page.table}, status=409 if refusal else 200
    )


def _parts(
    request: HttpRequest, game_session: GameSession, refusal: Sequence[str] = (), *, is_answer: bool = False
) -> HttpResponse:
    page = PlayPage(play_state(game_session), shown_at=database_now(), refusal=refusal)
    context = {"page": page, "table": page.table, "oob": True, "is_answer": is_answer}
    return render(request, "sessions_app/_state.html", context)
