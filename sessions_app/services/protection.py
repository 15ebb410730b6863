"""What protects a player, carried through to the tables where he sits."""

import datetime as dt
from collections.abc import Iterator

from django.db import IntegrityError, transaction

from roulette_site.common.errors import RuleBroken
from sessions_app.models import EndBasis, GameSession, RealityCheck
from tables.models import Seat
from wallets.models import Exclusion, Limit, LimitKind, LimitPeriod, Loosening, Player
from wallets.services.exclusion import exclude_self
from wallets.services.limits import confirm_loosening, set_own_limit

from .game_sessions import end_game_session, steer


class NoCheckDue(RuleBroken):
    """The player is not asked anything at present."""

    code = "no_reality_check_due"


def set_limit(
    *, player: Player, kind: LimitKind, period: LimitPeriod, value: int | None, at: dt.datetime
) -> Limit | Loosening:
    """Set the player's own limit, also for the sessions that are open; raises as set_own_limit does."""
    with transaction.atomic():
        found = set_own_limit(player=player, kind=kind, period=period, value=value, at=at)
        if isinstance(found, Limit):
            _steer_all(player, kind, at)
        return found


def confirm_limit(*, player: Player, loosening_id: int, at: dt.datetime) -> Limit:
    """Let a looser limit hold, also for the sessions that are open; raises as confirm_loosening does."""
    with transaction.atomic():
        found = confirm_loosening(player=player, loosening_id=loosening_id, at=at)
        _steer_all(player, LimitKind(found.kind), at)
        return found


def exclude(*, player: Player, term: str, at: dt.datetime) -> Exclusion:
    """Exclude the player at his own wish and end his sessions; bets on the cloth are played and valid (rule 25)."""
    with transaction.atomic():
        found = exclude_self(player=player, term=term, at=at)
        for game_session in open_sessions(player):
            end_game_session(game_session=game_session, basis=EndBasis.EXCLUSION, at=at)
        return found


def acknowledge_reality_check(*, game_session: GameSession, at: dt.datetime) -> RealityCheck:
    """Note that the player was asked and goes on; the next time comes after another stretch. Raises NoCheckDue."""
    with transaction.atomic():
        seat = Seat.objects.select_for_update(no_key=True).get(pk=game_session.seat_id)
        if seat.reality_check_at is None or at < seat.reality_check_at:
            raise NoCheckDue("You are not asked anything at present.")
        try:
            with transaction.atomic():
                check = RealityCheck.objects.create(
                    game_session=game_session, due_at=seat.reality_check_at, acknowledged_at=at
                )
        except IntegrityError as error:
            raise NoCheckDue("You have said so already.") from error
        steer(game_session, at=at, reality_check_from=at)
        return check


def end_sessions_of_the_barred(*, at: dt.datetime) -> int:
    """End every session whose player may not go on: excluded, barred, or out of time; how many there were."""
    ended = 0
    for game_session, basis in _not_to_go_on(at):
        end_game_session(game_session=game_session, basis=basis, at=at)
        ended += 1
    return ended


def open_sessions(player: Player) -> list[GameSession]:
    """The player's sessions that go on, in the order of their seats."""
    sessions = GameSession.objects.filter(player=player, ended_at__isnull=True)
    return list(sessions.select_related("seat__account", "player").order_by("seat_id"))


def _not_to_go_on(at: dt.datetime) -> Iterator[tuple[GameSession, EndBasis]]:
    running = GameSession.objects.filter(ended_at__isnull=True).select_related("seat__account").order_by("pk")
    for basis, found in (
        (EndBasis.EXCLUSION, running.filter(seat__account__excluded_until__gt=at)),
        (EndBasis.BARRED, running.exclude(seat__account__barred="")),
        (EndBasis.TIME_LIMIT, running.filter(seat__play_until__lte=at)),
    ):
        for game_session in list(found):
            yield game_session, basis


def _steer_all(player: Player, kind: LimitKind, at: dt.datetime) -> None:
    if kind not in (LimitKind.SESSION_TIME, LimitKind.REALITY_CHECK):
        return
    for game_session in open_sessions(player):
        last = game_session.reality_checks.order_by("-acknowledged_at").first()
        begun = game_session.started_at if last is None else last.acknowledged_at
        steer(game_session, at=at, reality_check_from=begun)
