"""Starting and ending a player's access to a table."""

import datetime as dt

from django.db import transaction

from roulette_site.common.errors import RuleBroken
from sessions_app.models import EndBasis, GameSession
from sessions_app.selectors.game_sessions import current_session
from sessions_app.selectors.playing_time import may_play_until, reality_check_seconds
from tables.models import Table
from tables.services.betting import SENTENCES
from tables.services.seats import AlreadySeated, leave_seat, steer_seat, take_seat
from wallets.models import Player, RegisterOccasion, Unit
from wallets.selectors.gates import words_against
from wallets.services.gates import lock_player
from wallets.services.ledger import open_wallet
from wallets.services.register_checks import check_if_due


class NotAdmitted(RuleBroken):
    """The player may not play here at present; `reasons` says why, in the words that a refused bet would have."""

    code = "not_admitted"


def start_game_session(*, table: Table, player: Player, at: dt.datetime) -> GameSession:
    """Seat the player at the table and begin his game session (rule 29: the player defines the beginning).

    Where it is time to, the register of excluded people is asked about him first, outside of the transaction.
    Raises NotAdmitted, TableNotOpen or AlreadySeated.
    """
    if table.unit == Unit.EUR:
        check_if_due(player=player, occasion=RegisterOccasion.SITTING_DOWN, at=at)
    with transaction.atomic():
        open_wallet(player=player, unit=Unit(table.unit))
        # Whatever changes a limit or excludes him takes this lock too: it comes before and is seen here, or it comes
        # after and finds the session.
        lock_player(player)
        _admit(table, player, at)
        seat = take_seat(table=table, player=player, at=at)
        game_session = GameSession.objects.create(seat=seat, player=player, started_at=at)
        steer(game_session, at=at, reality_check_from=at)
        return game_session


def _admit(table: Table, player: Player, at: dt.datetime) -> None:
    reasons = words_against(open_wallet(player=player, unit=Unit(table.unit)), at)
    if table.unit == Unit.EUR and (end := may_play_until(player, at)) is not None and end <= at:
        reasons.append("time_used_up")
    if reasons:
        raise NotAdmitted(" ".join(SENTENCES[reason] for reason in reasons), reasons=reasons)


def steer(game_session: GameSession, *, at: dt.datetime, reality_check_from: dt.datetime) -> None:
    """Hold the session's seat to what the player's limits of time say now; play units know none."""
    seat = game_session.seat
    if seat.account.unit != Unit.EUR:
        return
    interval = dt.timedelta(seconds=reality_check_seconds(game_session.player))
    steer_seat(
        seat=seat, play_until=may_play_until(game_session.player, at), reality_check_at=reality_check_from + interval
    )


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
