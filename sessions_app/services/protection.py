"""What protects a player, carried through to the tables where he sits."""

import datetime as dt
from collections.abc import Iterator, Mapping

from django.db import IntegrityError, transaction

from roulette_site.common.errors import RuleBroken
from sessions_app.models import EndBasis, GameSession, RealityCheck
from tables.models import Seat
from wallets.models import Exclusion, LimitKind, LimitPeriod, LimitsOffer, Loosening, OfferOccasion, Player
from wallets.services.exclusion import exclude_self
from wallets.services.limits import LooseningPending, set_own_limit
from wallets.services.limits_offers import note_answer

from .game_sessions import end_game_session, steer


class NoCheckDue(RuleBroken):
    """The player is not asked anything at present."""

    code = "no_reality_check_due"


def answer_limits_offer(
    *,
    player: Player,
    occasion: OfferOccasion,
    limits: Mapping[tuple[LimitKind, LimitPeriod], int],
    at: dt.datetime,
    via: str = "",
) -> LimitsOffer:
    """Set the limits that the player chose when they were offered, all or none; an empty choice passes it over.

    Raises as set_own_limit does, and LooseningPending where one would loosen what he has set before.
    """
    with transaction.atomic():
        for (kind, period), value in limits.items():
            found = set_own_limit(player=player, kind=kind, period=period, value=value, at=at, via=via)
            if isinstance(found, Loosening):
                raise LooseningPending("You have set a tighter limit already: change it under My limits.")
        return note_answer(player=player, occasion=occasion, limits_set=len(limits), at=at)


def exclude(*, player: Player, term: str, at: dt.datetime, via: str = "") -> Exclusion:
    """Exclude the player at his own wish and end his sessions; bets on the cloth are played and valid (rule 25).

    He is excluded before his sessions are ended, and not in one transaction with it: excluding holds his accounts, and
    ending a session waits for the round, which a slip on its way holds while it waits for the account. From the
    exclusion on no bet is taken; should the process die before the last session has ended, the sweep ends it
    (end_sessions_of_the_barred).
    """
    found = exclude_self(player=player, term=term, at=at, via=via)
    for game_session in open_sessions(player):
        end_game_session(game_session=game_session, basis=EndBasis.EXCLUSION, at=at)
    return found


def acknowledge_reality_check(*, game_session: GameSession, at: dt.datetime) -> RealityCheck:
    """Note that the player was asked and goes on; the next time comes after another stretch. Raises NoCheckDue."""
    with transaction.atomic():
        seat = Seat.objects.select_for_update(no_key=True).get(pk=game_session.seat_id)
        if seat.left_at is not None or seat.reality_check_at is None or at < seat.reality_check_at:
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


def steer_all(player: Player, kind: LimitKind, at: dt.datetime) -> None:
    """Hold the player's open sessions to a limit of time that has just changed; the caller has his lock."""
    if kind not in (LimitKind.SESSION_TIME, LimitKind.REALITY_CHECK):
        return
    for game_session in open_sessions(player):
        last = game_session.reality_checks.order_by("-acknowledged_at").first()
        begun = game_session.started_at if last is None else last.acknowledged_at
        steer(game_session, at=at, reality_check_from=begun)
