"""A player ends his account himself."""

import datetime as dt

from sessions_app.models import EndBasis
from wallets.models import Player
from wallets.services.closing import begin_closing

from .game_sessions import end_game_session
from .protection import open_sessions


def close_own_account(*, player: Player, reason: str, at: dt.datetime) -> Player:
    """Begin to close the account at its player's wish and end his sessions; bets on the cloth are played (rule 25).

    The sessions are ended after the beginning is kept, not with it: from then on no bet comes, and the rounds of each
    are locked before accounts, as everywhere. Who dies in between leaves them to the sweep of barred players. Raises
    what begin_closing raises.
    """
    player = begin_closing(player=player, reason=reason, actor=f"player:{player.pk}", at=at)
    for game_session in open_sessions(player):
        end_game_session(game_session=game_session, basis=EndBasis.PLAYER, at=at)
    return player
