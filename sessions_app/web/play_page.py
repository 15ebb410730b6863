"""The play page as a view object: what the state says, laid on the drawing of the cloth."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sessions_app.selectors.play import PlayState, StakeOnSpot
from tables.roulette.call_bets import SERIES, CallBet
from tables.roulette.cloth import Spot
from tables.slips import as_json
from tables.web.cloth_drawing import (
    TRACK_HEIGHT,
    TRACK_WIDTH,
    ClothDrawing,
    Place,
    Pocket,
    TrackPocket,
    TrackSeries,
    racetrack,
    tall_cloth,
    track_series,
    wheel_pockets,
    wide_cloth,
)
from wallets.amounts import format_cents

from .chips import Chip, rank_of, tray
from .keys import fresh_key


@dataclass(frozen=True)
class ChipOnCloth:
    """A stack of the player's chips where it stands."""

    place: Place
    stake_cents: int
    rank: int


@dataclass(frozen=True)
class HotSpot:
    """A spot that can be bet on: where it is, and what a bet there means."""

    place: Place
    prize: str
    maximum: str


@dataclass(frozen=True)
class Cloth:
    """One layout with the chips and the dolly on it."""

    drawing: ClothDrawing
    hot_spots: Sequence[HotSpot]
    chips: Sequence[ChipOnCloth]
    dolly: Place | None


@dataclass(frozen=True)
class PlayPage:
    """What the templates of the play page read."""

    state: PlayState
    refusal: Sequence[str] = ()
    notice: str = ""

    @property
    def stakes(self) -> Sequence[StakeOnSpot]:
        """What stands on the cloth: the running round's bets."""
        return self.state.round.stakes if self.state.round else ()

    @cached_property
    def cloths(self) -> list[Cloth]:
        return [self._cloth(drawing) for drawing in (wide_cloth(), tall_cloth())]

    def _cloth(self, drawing: ClothDrawing) -> Cloth:
        minimum = self.minimum_cents
        last = self.state.last_play
        rules = self.state.table.rules
        rulebook = rules.rulebook
        dolly = drawing.places[last.winning.number] if last and not self.is_waiting else None
        return Cloth(
            drawing=drawing,
            hot_spots=[
                HotSpot(
                    place,
                    f"{rulebook.prizes[place.spot.type].numerator} to {rulebook.prizes[place.spot.type].denominator}",
                    format_cents(rulebook.maximum_cents(place.spot, minimum)),
                )
                for place in drawing.places
                if rules.options.offers(place.spot)
            ],
            chips=[
                ChipOnCloth(drawing.at(one.spot), one.stake_cents, rank_of(one.stake_cents, minimum))
                for one in self.stakes
            ],
            dolly=dolly,
        )

    @property
    def minimum_cents(self) -> int:
        return self.state.round.minimum_cents if self.state.round else self.state.table.minimum_cents

    @property
    def is_waiting(self) -> bool:
        """Whether a ball runs: bets are closed and the number does not stand yet."""
        return self.state.round is not None and not self.state.round.takes_bets

    @property
    def chips(self) -> list[Chip]:
        return tray(self.minimum_cents)

    @property
    def repeat_bets(self) -> str:
        """The last play's bets, as a slip to place again."""
        return _as_slip(self.state.last_play.stakes) if self.state.last_play else ""

    @property
    def double_bets(self) -> str:
        """What stands on the cloth, as a slip to place once more."""
        return _as_slip(self.stakes)

    @cached_property
    def spots_by_type(self) -> list[tuple[str, list[Spot]]]:
        """For betting by name."""
        groups: dict[str, list[Spot]] = {}
        for hot in self.cloths[0].hot_spots:
            groups.setdefault(str(hot.place.spot.type).replace("_", " "), []).append(hot.place.spot)
        return list(groups.items())

    @property
    def call_bets(self) -> list[str]:
        """The series that this table takes as call bets."""
        rules = self.state.table.rules
        return [name for name in rules.rulebook.call_bets if name in rules.call_bets]

    @property
    def track(self) -> tuple[TrackPocket, ...]:
        return racetrack() if "neighbours" in self.call_bets else ()

    @property
    def track_series(self) -> tuple[TrackSeries, ...]:
        names = ("voisins", "orphelins", "tiers")
        return track_series(
            tuple(
                (name, tuple({n for bet in CallBet(name, 1).parts for n in bet.spot.numbers}))
                for name in names
                if name in self.call_bets and name in SERIES
            )
        )

    track_width, track_height = TRACK_WIDTH, TRACK_HEIGHT

    @property
    def wheel(self) -> tuple[Pocket, ...]:
        return wheel_pockets()

    @property
    def degrees(self) -> float:
        """Where the ball rests on the wheel at rest: over the recorded number, or on top before the first."""
        last = self.state.last_play
        return next(
            (pocket.degrees for pocket in wheel_pockets() if last and pocket.number == last.winning.number), 0.0
        )

    @property
    def series(self) -> list[str]:
        """The call bets that need a unit alone."""
        return [name for name in self.call_bets if name in SERIES]

    @property
    def key(self) -> str:
        """A fresh key for the forms of this rendering."""
        return fresh_key()


def _as_slip(stakes: Sequence[StakeOnSpot]) -> str:
    return json.dumps([as_json(one.spot) | {"stake": format_cents(one.stake_cents)} for one in stakes])
