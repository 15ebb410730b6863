"""What a player has played, session by session."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet, Sum

from roulette_site.common.sql import one_snapshot
from sessions_app.models import GameSession
from tables.models import FINISHED, Bet, BetOutcome
from wallets.models import Player, Unit

from .game_sessions import sessions_of


@dataclass(frozen=True)
class SessionLine:
    """A game session as a list shows it; the statement says the same, round by round."""

    game_session: GameSession
    unit: Unit
    rounds: int
    staked_cents: int
    returned_cents: int

    @property
    def net_cents(self) -> int:
        return self.returned_cents - self.staked_cents


def open_sessions_of(player: Player) -> QuerySet[GameSession]:
    """The sessions that the player has not ended."""
    return sessions_of(player).filter(ended_at__isnull=True)


def has_open_session_of_money(player: Player) -> bool:
    """Whether the player has a session open in which he plays for money."""
    return open_sessions_of(player).filter(seat__table__unit=Unit.EUR).exists()


def session_lines(player: Player, *, limit: int, before: int | None = None) -> Sequence[SessionLine]:
    """The player's sessions with their money, the latest first; `before` is the last session of the page before.

    Only decided rounds count, as in the statement, and each with its stakes and returns or not at all.
    """
    with one_snapshot():
        return _lines(player, limit, before)


def _lines(player: Player, limit: int, before: int | None) -> Sequence[SessionLine]:
    sessions = sessions_of(player)
    if before is not None:
        last = sessions.filter(pk=before).values_list("started_at", "pk").first()
        if last is None:
            return ()
        # By key, and in the order of sessions_of: no session is shown twice or passed over while new ones begin.
        started_at, pk = last
        sessions = sessions.filter(started_at__lte=started_at).exclude(started_at=started_at, pk__gte=pk)
    shown = list(sessions[:limit])
    seats = [one.seat_id for one in shown]
    live = {"slip__seat_id__in": seats, "slip__withdrawal__isnull": True, "game_round__state__in": FINISHED}
    staked = {
        seat_id: (rounds, cents)
        for seat_id, rounds, cents in Bet.objects.filter(**live)
        .values_list("slip__seat_id")
        .annotate(rounds=Count("game_round_id", distinct=True), cents=Sum("stake_cents"))
    }
    returned = dict(
        BetOutcome.objects.filter(revision=0, bet__slip__seat_id__in=seats, game_round__state__in=FINISHED)
        .values_list("bet__slip__seat_id")
        .annotate(cents=Sum("returned_cents"))
    )
    return [
        SessionLine(one, Unit(one.seat.table.unit), *staked.get(one.seat_id, (0, 0)), returned.get(one.seat_id, 0))
        for one in shown
    ]
