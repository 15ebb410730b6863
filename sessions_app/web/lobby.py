"""The lobby and the door to a table."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from sessions_app.selectors.lobby import LobbyTable, lobby_tables
from sessions_app.services.game_sessions import enter_table
from tables.models import Table
from tables.web.wheel_drawing import wheel_pockets
from wallets.templatetags.money import message_of
from wallets.web.who import player_of


@require_safe
@never_cache
def lobby(request: HttpRequest) -> HttpResponse:
    """The tables of the house."""
    player = getattr(request.user, "player", None)
    return render(request, "sessions_app/lobby.html", {"tables": lobby_tables(player), "wheel": wheel_pockets()})


@require_POST
@login_required
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a game session (rule 29)."""
    table = get_object_or_404(Table.objects.select_related("rules"), slug=slug)
    try:
        enter_table(table=table, player=player_of(request), at=database_now())
    except RuleBroken as error:
        return entrance(request, table, refusal=message_of(error), status=409)
    return redirect("play", slug=slug)


def entrance(request: HttpRequest, table: Table, *, refusal: str = "", status: int = 200) -> HttpResponse:
    """The page before a session: what is played here, under which rules and limits."""
    offered = LobbyTable(table, table.rules.rulebook, is_entered=False)
    return render(request, "sessions_app/enter.html", {"offered": offered, "refusal": refusal}, status=status)
