"""The statement of a game session (rule 28): amounts bet and the respective profits or losses, from the rows alone."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from roulette_site.common.sql import one_snapshot
from sessions_app.models import GameSession
from tables.models import FINISHED, Bet, GameRound, OutcomeKind, RoundState, SpecificRules
from tables.roulette.wheel import colour_of
from wallets.models import Unit


@dataclass(frozen=True)
class StatementLine:
    """One round of the session: what was bet in it and what came back."""

    game_round_id: int
    number: int
    state: RoundState
    winning_number: int | None
    bets: int
    staked_cents: int
    prize_cents: int
    returned_cents: int

    @property
    def net_cents(self) -> int:
        return self.returned_cents - self.staked_cents

    @property
    def colour(self) -> str:
        """The colour of the winning number; empty before it stands."""
        return "" if self.winning_number is None else str(colour_of(self.winning_number))

    @property
    def is_decided(self) -> bool:
        return self.state in FINISHED


@dataclass(frozen=True)
class Statement:
    """A session's money. Bets that are not decided yet stand apart: they are neither won nor lost."""

    game_session: GameSession
    unit: Unit
    lines: Sequence[StatementLine]
    # The versions of the specific rules that its rounds were played under; of a session without one, the table's.
    rules: Sequence[SpecificRules]

    @cached_property
    def decided(self) -> list[StatementLine]:
        return [line for line in self.lines if line.is_decided]

    @property
    def rounds(self) -> int:
        """How many decided rounds the player bet in."""
        return len(self.decided)

    @property
    def staked_cents(self) -> int:
        return sum(line.staked_cents for line in self.decided)

    @property
    def returned_cents(self) -> int:
        return sum(line.returned_cents for line in self.decided)

    @property
    def prize_cents(self) -> int:
        """The winnings alone, without the stakes that went back."""
        return sum(line.prize_cents for line in self.decided)

    @property
    def net_cents(self) -> int:
        return self.returned_cents - self.staked_cents

    @property
    def undecided_cents(self) -> int:
        return sum(line.staked_cents for line in self.lines if not line.is_decided)

    @property
    def duration(self) -> dt.timedelta | None:
        ended_at = self.game_session.ended_at
        return None if ended_at is None else ended_at - self.game_session.started_at


def statement_of(game_session: GameSession) -> Statement:
    """Add up the session's live bets, round by round, the latest first.

    A bet counts in the session in which it was placed, also if it is settled later. What was taken back is no bet. A
    round that is paid meanwhile stands in it whole or not at all.
    """
    with one_snapshot():
        return _add_up(game_session)


def _add_up(game_session: GameSession) -> Statement:
    bets = Bet.objects.filter(slip__seat_id=game_session.seat_id, slip__withdrawal__isnull=True)
    rows = (
        bets.values("game_round_id", "game_round__number", "game_round__state", "game_round__winning_number")
        .annotate(bets=Count("id"), staked=Sum("stake_cents"))
        .order_by("-game_round__number")
    )
    # Apart from the stakes: a join to outcomes would count a stake once for each.
    paid = {
        game_round_id: (returned, prize)
        for game_round_id, returned, prize in bets.filter(outcomes__revision=0)
        .values_list("game_round_id")
        .annotate(
            returned=Sum("outcomes__returned_cents"),
            prize=Coalesce(
                Sum(F("outcomes__returned_cents") - F("stake_cents"), filter=Q(outcomes__kind=OutcomeKind.WON)), 0
            ),
        )
    }
    return Statement(
        game_session=game_session,
        unit=Unit(game_session.seat.table.unit),
        lines=[
            StatementLine(
                game_round_id=row["game_round_id"],
                number=row["game_round__number"],
                state=RoundState(row["game_round__state"]),
                winning_number=row["game_round__winning_number"],
                bets=row["bets"],
                staked_cents=row["staked"],
                returned_cents=paid.get(row["game_round_id"], (0, 0))[0],
                prize_cents=paid.get(row["game_round_id"], (0, 0))[1],
            )
            for row in rows
        ],
        rules=list(
            SpecificRules.objects.filter(
                pk__in=GameRound.objects.filter(seat_id=game_session.seat_id).values("rules_id")
            ).order_by("version")
        )
        or [game_session.seat.table.rules],
    )
