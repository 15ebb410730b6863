"""The play page as a view object: what the state says, laid on the drawings."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sessions_app.selectors.play import LatestNumber, PlayState, StakeOnSpot
from tables.models import RoundState, SpecificRules, Table
from tables.roulette.call_bets import FINAL, NEIGHBOUR_COUNTS, NEIGHBOURS, SERIES, CallBet
from tables.roulette.cloth import SPOTS, Spot
from tables.roulette.rulebook import Prize, Rulebook
from tables.roulette.wheel import WHEEL
from tables.slips import as_json
from tables.web.cloth_drawing import ClothDrawing, Place, tall_cloth, wide_cloth
from tables.web.coordinates import num
from tables.web.names import SHORT_CALL_NAMES, TYPE_NAMES
from tables.web.racetrack_drawing import TALL_TRACK, WIDE_TRACK, Racetrack, TrackSeries
from tables.web.wheel_drawing import BALL_REST_RADIUS, BALL_TRACK_RADIUS, Pocket, degrees_of, wheel_pockets
from wallets.amounts import format_cents
from wallets.web.keys import fresh_key

from .chips import Chip, Layer, stack_of, tray

FINAL_DIGITS = range(10)


@dataclass(frozen=True)
class Stack:
    """The player's chips on one spot."""

    place: Place
    stake_cents: int
    layers: Sequence[Layer]
    returned_cents: int = 0

    @property
    def top(self) -> Layer:
        return self.layers[-1]


@dataclass(frozen=True)
class HotSpot:
    """A spot that can be bet on: where it is, and what a bet there means."""

    place: Place
    prize: Prize
    maximum_cents: int


@dataclass(frozen=True)
class Cloth:
    """One layout with chips and dolly on it."""

    drawing: ClothDrawing
    stacks: Sequence[Stack]
    dolly: Place | None
    # Winning chips of the last play with what they brought, until the player bets again (rule 19).
    paid: Sequence[Stack] = ()

    @property
    def dolly_at(self) -> tuple[str, str]:
        """The dolly stands beside the number that it marks, so that both can be read."""
        assert self.dolly is not None, "asked for only where it stands"
        x, y = self.dolly.corner
        return num(x), num(y)


def cloths_with(
    stakes: Sequence[StakeOnSpot],
    minimum_cents: int,
    winning: LatestNumber | None,
    paid: Sequence[StakeOnSpot] = (),
) -> list[Cloth]:
    """Both layouts with these stakes, the dolly on the winning number, and the bets that were paid."""

    def stack(drawing: ClothDrawing, one: StakeOnSpot) -> Stack:
        layers = stack_of(one.stake_cents, minimum_cents)
        return Stack(drawing.at(one.spot), one.stake_cents, layers, one.returned_cents)

    return [
        Cloth(
            drawing,
            [stack(drawing, one) for one in stakes],
            None if winning is None else drawing.at(SPOTS[winning.number]),
            [stack(drawing, one) for one in paid if one.returned_cents],
        )
        for drawing in (wide_cloth(), tall_cloth())
    ]


@dataclass(frozen=True)
class TrackView:
    """A racetrack with the series that the table takes."""

    drawing: Racetrack
    series: Sequence[TrackSeries]


@dataclass(frozen=True)
class PlayPage:
    """What the templates of the play page read."""

    state: PlayState
    shown_at: dt.datetime
    refusal: Sequence[str] = ()

    @property
    def table(self) -> Table:
        return self.state.table

    @property
    def rules(self) -> SpecificRules:
        """The specific rules of the round that runs; before it is open, the table's."""
        return self.state.round.rules if self.state.round else self.table.rules

    @property
    def rulebook(self) -> Rulebook:
        return self.state.round.rulebook if self.state.round else self.table.rules.rulebook

    @property
    def asks_whether_to_go_on(self) -> bool:
        """Whether the player has played a stretch and no bet is taken before he says that he goes on."""
        due = self.state.reality_check_at
        return due is not None and self.shown_at >= due

    @property
    def stakes(self) -> Sequence[StakeOnSpot]:
        """What stands on the cloth: the running round's bets."""
        return self.state.round.stakes if self.state.round else ()

    @property
    def minimum_cents(self) -> int:
        return self.state.round.minimum_cents if self.state.round else self.table.minimum_cents

    @property
    def highest_maximum_cents(self) -> int:
        """The most that may stand on any spot."""
        return max(hot.maximum_cents for hot in self.hot_spots(wide_cloth()))

    @property
    def is_waiting(self) -> bool:
        """Whether a ball runs: bets are closed and the number does not stand yet."""
        return self.state.round is not None and self.state.round.state == RoundState.CLOSED

    @property
    def phase(self) -> str:
        """How the page stands: preparing, betting, closed or drawn."""
        return "preparing" if self.state.round is None else str(self.state.round.state)

    @cached_property
    def cloths(self) -> list[Cloth]:
        last = self.state.last_play
        if last is None or self.is_waiting:
            return cloths_with(self.stakes, self.minimum_cents, None)
        of_this_session = any(line.game_round_id == last.game_round_id for line in self.state.statement.lines)
        paid = last.stakes if of_this_session and not self.stakes else ()
        return cloths_with(self.stakes, self.minimum_cents, last.winning, paid)

    def hot_spots(self, drawing: ClothDrawing) -> list[HotSpot]:
        """The spots of a layout that the table takes bets on."""
        rulebook, options = self.rulebook, self.rules.options
        return [
            HotSpot(place, rulebook.prizes[place.spot.type], rulebook.maximum_cents(place.spot, self.minimum_cents))
            for place in drawing.places
            if options.offers(place.spot)
        ]

    @property
    def wide_hot_spots(self) -> list[HotSpot]:
        return self.hot_spots(wide_cloth())

    @property
    def tall_hot_spots(self) -> list[HotSpot]:
        return self.hot_spots(tall_cloth())

    wheel_ball_track, wheel_ball_rest = num(BALL_TRACK_RADIUS), num(BALL_REST_RADIUS)

    @property
    def wheel(self) -> tuple[Pocket, ...]:
        return wheel_pockets()

    @property
    def degrees(self) -> str:
        """Where the ball rests: at the last recorded number, or on top before the first."""
        last = self.state.last_play
        return degrees_of(last.winning.number if last else WHEEL[0])

    @property
    def call_bets(self) -> list[str]:
        """The call bets that this table takes."""
        return [name for name in self.rulebook.call_bets if name in self.rules.call_bets]

    @property
    def series(self) -> list[str]:
        """Those that need a unit alone."""
        return [name for name in self.call_bets if name in SERIES]

    @property
    def takes_neighbours(self) -> bool:
        return NEIGHBOURS in self.call_bets

    @property
    def takes_finals(self) -> bool:
        return FINAL in self.call_bets

    wheel_numbers, neighbour_counts, final_digits = sorted(WHEEL), NEIGHBOUR_COUNTS, FINAL_DIGITS

    @cached_property
    def tracks(self) -> list[TrackView]:
        """The racetracks, where anything on them can be bet on."""
        named = tuple(
            (name, frozenset(number for bet in CallBet(name, 1).parts for number in bet.spot.numbers))
            for name in self.series
            if name in SHORT_CALL_NAMES
        )
        if not named and not self.takes_neighbours:
            return []
        return [TrackView(track, track.areas(named)) for track in (WIDE_TRACK, TALL_TRACK)]

    @property
    def chips(self) -> list[Chip]:
        return tray(self.minimum_cents)

    @cached_property
    def spots_by_type(self) -> list[tuple[str, list[Spot]]]:
        """For betting by name."""
        groups: dict[str, list[Spot]] = {}
        for spot in SPOTS:
            if self.rules.options.offers(spot):
                groups.setdefault(str(TYPE_NAMES[spot.type]), []).append(spot)
        return list(groups.items())

    @property
    def last_slip_id(self) -> int | None:
        """What undo takes back: the slip is named, so that two clicks take back one."""
        return self.state.round.slip_ids[-1] if self.state.round and self.state.round.slip_ids else None

    @property
    def repeat_bets(self) -> str:
        """The last play's bets, as a slip to place again."""
        return as_slip(self.state.last_play.stakes) if self.state.last_play else ""

    @property
    def can_repeat(self) -> bool:
        return self.state.round is not None and self.state.round.takes_bets and bool(self.repeat_bets)

    @property
    def double_bets(self) -> str:
        """What stands on the cloth, as a slip to place once more."""
        return as_slip(self.stakes)

    @property
    def key(self) -> str:
        """A fresh key for a form; each reading is another."""
        return fresh_key()


def as_slip(stakes: Sequence[StakeOnSpot]) -> str:
    """Stakes as a slip of the same bets."""
    return json.dumps([as_json(one.spot) | {"stake": format_cents(one.stake_cents)} for one in stakes])
