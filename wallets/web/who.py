"""Whose pages these are."""

from django.http import Http404, HttpRequest

from wallets.models import Player


def player_of(request: HttpRequest) -> Player:
    """The player who is logged in; staff have no game of their own (404)."""
    player = getattr(request.user, "player", None)
    if not isinstance(player, Player):
        raise Http404("You are logged in, but not as a player.")
    return player
