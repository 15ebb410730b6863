"""Starting and ending a player's access to a table."""

import datetime as dt

from django.db import transaction

from sessions_app.models import EndBasis, GameSession
from sessions_app.selectors.game_sessions import current_session
from tables.models import Table
from tables.services.seats import AlreadySeated, leave_seat, take_seat
from wallets.models import Player


def start_game_session(*, table: Table, player: Player, at: dt.datetime) -> GameSession:
    """Seat the player at the table and begin his game session (rule 29: the player defines the beginning).

    Raises TableNotOpen or AlreadySeated.
    """
    with transaction.atomic():
        seat = take_seat(table=table, player=player, at=at)
        return GameSession.objects.create(seat=seat, player=player, started_at=at)


def end_game_session(*, game_session: GameSession, basis: EndBasis, at: dt.datetime) -> GameSession:
    """End the session and get up; bets on the cloth are played and valid. Ending twice changes nothing."""
    with transaction.atomic():
        if GameSession.objects.filter(pk=game_session.pk, ended_at__isnull=True).update(ended_at=at, end_basis=basis):
            leave_seat(seat=game_session.seat, at=at)
    game_session.refresh_from_db()
    return game_session


def enter_table(*, table: Table, player: Player, at: dt.datetime) -> GameSession:
    """Return the player's open session at the table, or start one: coming back to a table is no new session."""
    found = current_session(table=table, player=player)
    if found is not None:
        return found
    try:
        return start_game_session(table=table, player=player, at=at)
    except AlreadySeated:
        # The same player at the same moment, by a second click or another tab.
        found = current_session(table=table, player=player)
        if found is None:
            raise
        return found
