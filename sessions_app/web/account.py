"""What a player has and has played: balances, sessions, statements, single plays."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from roulette_site.common.sql import one_snapshot
from sessions_app.selectors.account import open_sessions_of, session_lines
from sessions_app.selectors.game_sessions import sessions_of
from sessions_app.selectors.rounds import round_of_player
from sessions_app.selectors.statement import statement_of
from tables.selectors.receipts import receipt_of
from wallets.models import Standing
from wallets.selectors.balances import wallets_of
from wallets.selectors.people import last_login_before
from wallets.selectors.receivables import owed_by
from wallets.web.keys import fresh_key
from wallets.web.who import player_of

from .chips import tray
from .play_page import cloths_with
from .recipe import recipe_of

LATEST_SESSIONS = 5
SESSIONS_A_PAGE = 25
MOST_DIGITS = 18


@require_safe
@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """The player's balances, open sessions and latest sessions."""
    player = player_of(request)
    # Of one instant: what a round that is paid meanwhile brings is in the balance and in the sessions, or in neither.
    with one_snapshot():
        shown = {
            "balances": wallets_of(player),
            "owed": owed_by(player),
            "owed_key": fresh_key(),
            "is_closing": player.standing == Standing.CLOSING,
            "open_sessions": list(open_sessions_of(player)),
            "last_login_at": last_login_before(player.user),
            "lines": session_lines(player, limit=LATEST_SESSIONS),
        }
    return render(request, "sessions_app/account.html", shown)


@require_safe
@login_required
@never_cache
def sessions(request: HttpRequest) -> HttpResponse:
    """All game sessions, page by page."""
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
    lines = session_lines(player_of(request), limit=SESSIONS_A_PAGE, before=before)
    older = lines[-1].game_session.pk if len(lines) == SESSIONS_A_PAGE else None
    return render(request, "sessions_app/sessions.html", {"lines": lines, "older": older, "before": before})


@require_safe
@login_required
@never_cache
def statement(request: HttpRequest, session_id: int) -> HttpResponse:
    """The statement of one of the player's own sessions (rule 28)."""
    game_session = get_object_or_404(sessions_of(player_of(request)), pk=session_id)
    # Until the last ball has fallen the page asks for this part again.
    template = "_statement" if request.htmx else "statement"  # type: ignore[attr-defined]
    return render(request, f"sessions_app/{template}.html", {"statement": statement_of(game_session)})


@require_safe
@login_required
@never_cache
def round_detail(request: HttpRequest, game_round_id: int) -> HttpResponse:
    """One play with all its essential elements (rule 26), and how to check its number."""
    played = round_of_player(player=player_of(request), game_round_id=game_round_id)
    if played is None:
        raise Http404("There is no such play of yours.")
    minimum = played.game_round.minimum_cents
    return render(
        request,
        "sessions_app/round.html",
        {
            "played": played,
            "cloths": cloths_with(played.stakes, minimum, played.winning),
            "chips": tray(minimum),
            "recipe": recipe_of(played),
        },
    )


@require_safe
@login_required
@never_cache
def receipt(request: HttpRequest, game_round_id: int) -> HttpResponse:
    """The receipt of a play as a file, from which docs/verify_round.py recomputes it."""
    played = round_of_player(player=player_of(request), game_round_id=game_round_id)
    if played is None or played.game_round.seat is None:
        raise Http404("There is no such play of yours.")
    said = receipt_of(played.game_round.pk, account_ids=[played.game_round.seat.account_id])
    name = f"{played.game_round.table.slug}-{played.game_round.number}.json"
    return JsonResponse(
        said, json_dumps_params={"indent": 1}, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
