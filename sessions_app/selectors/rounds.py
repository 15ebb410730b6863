"""Looking back at one play (rule 26)."""

from collections.abc import Sequence
from dataclasses import dataclass

from roulette_site.common.sql import one_snapshot
from sessions_app.models import GameSession
from tables.models import FINISHED, GameRound, RoundDraw, RoundSeed, SlipCall
from tables.roulette.wheel import colour_of
from wallets.models import Player, Unit

from .play import LatestNumber, StakeOnSpot, stakes_on_cloth


@dataclass(frozen=True)
class PlayedRound:
    """A round of the player's with everything that is needed to recompute it."""

    game_round: GameRound
    game_session: GameSession
    unit: Unit
    winning: LatestNumber | None
    stakes: Sequence[StakeOnSpot]
    # Call bets as they were announced; their parts are among the stakes.
    calls: Sequence[SlipCall]
    secret: RoundSeed | None
    draw: RoundDraw | None

    @property
    def is_decided(self) -> bool:
        return self.game_round.state in FINISHED

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
    """The round as it stood at one instant, if it is one of the player's own; None otherwise."""
    with one_snapshot():
        return _read(player, game_round_id)


def _read(player: Player, game_round_id: int) -> PlayedRound | None:
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
        winning=None if number is None else LatestNumber(number, colour_of(number)),
        stakes=stakes_on_cloth(game_round),
        calls=list(
            SlipCall.objects.filter(slip__game_round=game_round, slip__withdrawal__isnull=True).order_by(
                "slip_id", "ordinal"
            )
        ),
        secret=RoundSeed.objects.filter(pk=game_round.pk).first(),
        draw=RoundDraw.objects.filter(pk=game_round.pk).first(),
    )
