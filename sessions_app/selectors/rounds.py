"""Looking back at one play (rule 26)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions_app.models import GameSession
from tables.models import GameRound, RoundDraw, RoundSeed
from tables.roulette.wheel import colour_of
from wallets.models import Player, Unit

from .play import StakeOnSpot, stakes_on_cloth


@dataclass(frozen=True)
class PlayedRound:
    """A round of the player's with everything that is needed to recompute it."""

    game_round: GameRound
    game_session: GameSession
    unit: Unit
    colour: str
    stakes: Sequence[StakeOnSpot]
    secret: RoundSeed | None
    draw: RoundDraw | None

    @property
    def staked_cents(self) -> int:
        return sum(one.stake_cents for one in self.stakes)

    @property
    def returned_cents(self) -> int:
        return sum(one.returned_cents for one in self.stakes)

    @property
    def net_cents(self) -> int:
        return self.returned_cents - self.staked_cents


def round_of_player(*, player: Player, game_round_id: int) -> PlayedRound | None:
    """The round, if it is one of the player's own; None otherwise."""
    game_round = (
        GameRound.objects.filter(pk=game_round_id, seat__player=player)
        .select_related("table", "rules", "seat__game_session")
        .first()
    )
    if game_round is None or game_round.seat is None:
        return None
    number = game_round.winning_number
    return PlayedRound(
        game_round=game_round,
        game_session=game_round.seat.game_session,
        unit=Unit(game_round.table.unit),
        colour="" if number is None else str(colour_of(number)),
        stakes=stakes_on_cloth(game_round),
        secret=RoundSeed.objects.filter(pk=game_round.pk).first(),
        draw=RoundDraw.objects.filter(pk=game_round.pk).first(),
    )
