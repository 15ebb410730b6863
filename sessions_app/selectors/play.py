"""What the play page shows, read from the rows: nothing on a page computes a number, a prize or a balance."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Sum

from roulette_site.common.sql import one_snapshot
from sessions_app.models import GameSession
from tables.models import FINISHED, Bet, GameRound, RoundDraw, RoundSeed, RoundState, Slip, SpecificRules, Table
from tables.roulette.cloth import SPOTS, Spot
from tables.roulette.rulebook import Rulebook
from tables.roulette.wheel import Colour, colour_of
from tables.selectors.bets import live_bets
from wallets.models import Unit

from .statement import Statement, statement_of

LATEST_NUMBERS = 12


@dataclass(frozen=True)
class StakeOnSpot:
    """All of the player's live money on one spot in one round, and what it returned once the round is decided."""

    spot: Spot
    stake_cents: int
    returned_cents: int = 0


@dataclass(frozen=True)
class LatestNumber:
    """A winning number as the display shows it (rule 6e)."""

    number: int
    colour: Colour


@dataclass(frozen=True)
class LastPlay:
    """The essential elements of the latest play in which the player took part (rule 26)."""

    game_round_id: int
    number: int
    state: RoundState
    winning: LatestNumber
    stakes: Sequence[StakeOnSpot]
    staked_cents: int
    returned_cents: int
    seed_hex: str
    drawn_at: dt.datetime

    @property
    def net_cents(self) -> int:
        return self.returned_cents - self.staked_cents


@dataclass(frozen=True)
class OpenPlay:
    """The round that runs now."""

    game_round_id: int
    number: int
    state: RoundState
    minimum_cents: int
    closes_at: dt.datetime | None
    commitment: str
    client_seed: str
    # Its own, whatever the table plays under from the next round on.
    rules: SpecificRules
    rulebook: Rulebook
    stakes: Sequence[StakeOnSpot]
    staked_cents: int
    slip_ids: Sequence[int]

    @property
    def takes_bets(self) -> bool:
        return self.state == RoundState.BETTING

    @property
    def can_launch(self) -> bool:
        return self.takes_bets and bool(self.stakes)


@dataclass(frozen=True)
class PlayState:
    """All that changes on the play page; `sequence` is the last event it knows of, where the stream goes on."""

    game_session: GameSession
    table: Table
    unit: Unit
    balance_cents: int
    round: OpenPlay | None
    last_play: LastPlay | None
    latest_numbers: Sequence[LatestNumber]
    statement: Statement
    sequence: int
    # Until when the player's limits let him play, and from when he is asked first whether he goes on.
    play_until: dt.datetime | None
    reality_check_at: dt.datetime | None


def play_state(game_session: GameSession) -> PlayState:
    """Read the state of the play page of an individual table, all of it as it stood at one instant.

    A round that is drawn or paid between two reads would show its number before the ball falls, or beside a balance
    that knows nothing of its prize.
    """
    with one_snapshot():
        return _state_of(
            GameSession.objects.select_related("player", "seat__table__rules", "seat__account").get(pk=game_session.pk)
        )


def _state_of(game_session: GameSession) -> PlayState:
    seat = game_session.seat
    table = seat.table
    running = GameRound.objects.filter(seat=seat).exclude(state__in=FINISHED).select_related("rules").first()
    # Also what was played in earlier sessions here: the latest play stays open to the player (rule 26).
    played = GameRound.objects.filter(
        table=table, seat__player_id=seat.player_id, winning_number__isnull=False
    ).order_by("-number")
    return PlayState(
        game_session=game_session,
        table=table,
        unit=Unit(table.unit),
        balance_cents=seat.account.balance_cents or 0,
        round=None if running is None else _open_play(running),
        last_play=None if (last := played.first()) is None else _last_play(last),
        latest_numbers=[
            LatestNumber(number, colour_of(number))
            for number in played.values_list("winning_number", flat=True)[:LATEST_NUMBERS]
            if number is not None
        ],
        statement=statement_of(game_session),
        sequence=table.last_event_sequence,
        play_until=seat.play_until,
        reality_check_at=seat.reality_check_at,
    )


def _open_play(game_round: GameRound) -> OpenPlay:
    stakes = stakes_on_cloth(game_round)
    return OpenPlay(
        game_round_id=game_round.pk,
        number=game_round.number,
        state=RoundState(game_round.state),
        minimum_cents=game_round.minimum_cents,
        closes_at=game_round.closes_at,
        commitment=RoundSeed.objects.values_list("commitment", flat=True).get(pk=game_round.pk),
        client_seed=game_round.client_seed,
        rules=game_round.rules,
        rulebook=game_round.rulebook,
        stakes=stakes,
        staked_cents=sum(one.stake_cents for one in stakes),
        slip_ids=list(
            Slip.objects.filter(game_round=game_round, withdrawal__isnull=True)
            .order_by("transfer_id")
            .values_list("transfer_id", flat=True)
        ),
    )


def _last_play(game_round: GameRound) -> LastPlay:
    stakes = stakes_on_cloth(game_round)
    draw = RoundDraw.objects.get(pk=game_round.pk)
    assert game_round.winning_number is not None, "only drawn rounds are read here"
    return LastPlay(
        game_round_id=game_round.pk,
        number=game_round.number,
        state=RoundState(game_round.state),
        winning=LatestNumber(game_round.winning_number, colour_of(game_round.winning_number)),
        stakes=stakes,
        staked_cents=sum(one.stake_cents for one in stakes),
        returned_cents=sum(one.returned_cents for one in stakes),
        seed_hex=draw.seed_hex,
        drawn_at=draw.revealed_at,
    )


def stakes_on_cloth(game_round: GameRound) -> list[StakeOnSpot]:
    """The live money of a seat's round spot by spot, in the order of the cloth."""
    returned = dict(
        Bet.objects.filter(game_round=game_round, outcomes__revision=0)
        .values_list("spot")
        .annotate(returned=Sum("outcomes__returned_cents"))
    )
    rows = live_bets(game_round.pk).values_list("spot").annotate(stake=Sum("stake_cents")).order_by("spot")
    return [StakeOnSpot(SPOTS[spot], stake, returned.get(spot, 0)) for spot, stake in rows]
