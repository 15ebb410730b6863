"""Where the cloth, the wheel and the racetrack are drawn, computed from the engine's tables: no second list anywhere.

Each drawing is in units of its own SVG view box. Two layouts of the cloth: wide (zero left) and tall (zero on top).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin

from tables.roulette.cloth import EVEN_MONEY_ROW, ROWS, SPOTS, STREETS, Spot, SpotType
from tables.roulette.wheel import WHEEL, colour_of

Point = tuple[float, float]

# Width and height in cells of the boxes that have a frame of their own, on the wide layout.
_BOXES = {
    SpotType.STRAIGHT: (1.0, 1.0),
    SpotType.DOZEN: (STREETS / 3, 1.0),
    SpotType.COLUMN: (1.0, 1.0),
} | {wager: (STREETS / len(EVEN_MONEY_ROW), 1.0) for wager in EVEN_MONEY_ROW}
_ZERO_BOX = (1.0, float(ROWS))


@dataclass(frozen=True)
class Place:
    """A spot on the drawing: its box (framed ones) or a point between boxes, and where its chips stand."""

    spot: Spot
    x: float
    y: float
    width: float
    height: float
    cx: float
    cy: float
    is_box: bool
    colour: str

    @property
    def label(self) -> str:
        """What is printed in the box; numbers and symbols need no translation."""
        match self.spot.type:
            case SpotType.STRAIGHT:
                return str(self.spot.on[0])
            case SpotType.DOZEN | SpotType.LOW | SpotType.HIGH:
                return f"{self.spot.numbers[0]}–{self.spot.numbers[-1]}"  # noqa: RUF001
            case SpotType.COLUMN:
                return "2:1"
            case _:
                return ""

    @property
    def diamond(self) -> str:
        """The corners of the diamond of red and black."""
        w, h = min(self.width, self.height * 1.7) * 0.3, min(self.height, self.width * 1.7) * 0.3
        corners = ((self.cx - w, self.cy), (self.cx, self.cy - h), (self.cx + w, self.cy), (self.cx, self.cy + h))
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


@dataclass(frozen=True)
class ClothDrawing:
    """A layout: its view box, boxes first and the points between them after, so that points lie on top."""

    name: str
    width: float
    height: float
    chip_radius: float
    places: tuple[Place, ...]
    # Whether words in narrow boxes are turned.
    turned: bool

    @property
    def chip_scale(self) -> float:
        """How large chips are drawn: they are made with a radius of 14."""
        return self.chip_radius / 14

    @property
    def oval(self) -> Point:
        """The half axes of the ovals that numbers stand in."""
        return (24.0, 11.5) if self.turned else (23.0, 27.0)

    @property
    def boxes(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if place.is_box)

    def at(self, spot: Spot) -> Place:
        """The place of a spot."""
        return self.places[spot.index]


@lru_cache(maxsize=1)
def wide_cloth() -> ClothDrawing:
    """The layout for a desk."""
    cell_width, cell_height, margin = 62.0, 66.0, 4.0
    return _draw(
        "wide",
        lambda x, y: ((x + 1) * cell_width + margin, y * cell_height + margin),
        width=(STREETS + 2) * cell_width + 2 * margin,
        height=(ROWS + 2) * cell_height + 2 * margin,
        chip_radius=14,
        hot_radius=13,
        turned=False,
    )


@lru_cache(maxsize=1)
def tall_cloth() -> ClothDrawing:
    """The layout for a phone."""
    cell_width, cell_height, margin = 74.0, 28.0, 3.0

    def at(x: float, y: float) -> Point:
        # As Spot.tall_centre: dozens and even money at the left, zero on top.
        return (ROWS - y + 2) * cell_width + margin, (x + 1) * cell_height + margin

    return _draw(
        "tall",
        at,
        width=(ROWS + 2) * cell_width + 2 * margin,
        height=(STREETS + 2) * cell_height + 2 * margin,
        chip_radius=10.5,
        hot_radius=9,
        turned=True,
    )


def _draw(
    name: str,
    at: Callable[[float, float], Point],
    *,
    width: float,
    height: float,
    chip_radius: float,
    hot_radius: float,
    turned: bool,
) -> ClothDrawing:
    places = []
    for spot in SPOTS:
        cx, cy = at(*spot.centre)
        box = _ZERO_BOX if spot.on == (0,) else _BOXES.get(spot.type)
        if box is None:
            corners = ((cx - hot_radius, cy - hot_radius), (cx + hot_radius, cy + hot_radius))
        else:
            x, y = spot.centre
            corners = at(x - box[0] / 2, y - box[1] / 2), at(x + box[0] / 2, y + box[1] / 2)
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        colour = str(colour_of(spot.on[0])) if spot.type is SpotType.STRAIGHT else ""
        places.append(Place(spot, left, top, right - left, bottom - top, cx, cy, is_box=box is not None, colour=colour))
    return ClothDrawing(name, width, height, chip_radius, tuple(places), turned)


@dataclass(frozen=True)
class Pocket:
    """A pocket of the wheel as a slice of a ring, zero on top, clockwise."""

    number: int
    colour: str
    degrees: float
    path: str
    label_x: float
    label_y: float


WHEEL_RADIUS, RING_INNER, LABEL_RADIUS = 118.0, 78.0, 104.0


@lru_cache(maxsize=1)
def wheel_pockets() -> tuple[Pocket, ...]:
    """The 37 pockets around (0, 0)."""
    step = 360 / len(WHEEL)
    return tuple(
        Pocket(
            number,
            str(colour_of(number)),
            place * step,
            _slice(place * step - step / 2, place * step + step / 2, RING_INNER, WHEEL_RADIUS),
            *_on_circle(place * step, LABEL_RADIUS),
        )
        for place, number in enumerate(WHEEL)
    )


def _on_circle(degrees: float, radius: float, centre: Point = (0, 0)) -> Point:
    """A point at an angle clockwise from the top."""
    angle = degrees * pi / 180
    return round(centre[0] + radius * sin(angle), 2), round(centre[1] - radius * cos(angle), 2)


def _slice(start: float, end: float, inner: float, outer: float, centre: Point = (0, 0)) -> str:
    (a, b), (c, d) = _on_circle(start, outer, centre), _on_circle(end, outer, centre)
    (e, f), (g, h) = _on_circle(end, inner, centre), _on_circle(start, inner, centre)
    return f"M{a} {b}A{outer} {outer} 0 0 1 {c} {d}L{e} {f}A{inner} {inner} 0 0 0 {g} {h}Z"


@dataclass(frozen=True)
class TrackPocket:
    """A number of the racetrack."""

    number: int
    colour: str
    path: str
    label_x: float
    label_y: float


@dataclass(frozen=True)
class TrackSeries:
    """A series inside the racetrack, as an area from where it begins to where it ends."""

    name: str
    path: str
    label_x: float
    label_y: float


TRACK_WIDTH, TRACK_HEIGHT, TRACK_BAND = 868.0, 132.0, 38.0
_TRACK_RADIUS = TRACK_HEIGHT / 2 - 2
_STRAIGHT = TRACK_WIDTH - TRACK_HEIGHT


def _track_point(distance: float, inset: float) -> Point:
    """A point on the track, `distance` from 0 to 1 clockwise from the middle of the right end, `inset` from the rim."""
    radius = _TRACK_RADIUS - inset
    left, right, middle = TRACK_HEIGHT / 2, TRACK_WIDTH - TRACK_HEIGHT / 2, TRACK_HEIGHT / 2
    # Measured along the middle of the band, so that all pockets are alike.
    centre_radius = _TRACK_RADIUS - TRACK_BAND / 2
    arc = pi * centre_radius
    walked = (distance % 1) * (2 * _STRAIGHT + 2 * arc)
    if walked < arc / 2:
        return _on_circle(90 + walked / arc * 180, radius, (right, middle))
    if walked < arc / 2 + _STRAIGHT:
        return round(right - (walked - arc / 2), 2), round(middle + radius, 2)
    if walked < 1.5 * arc + _STRAIGHT:
        return _on_circle(180 + (walked - arc / 2 - _STRAIGHT) / arc * 180, radius, (left, middle))
    if walked < 1.5 * arc + 2 * _STRAIGHT:
        return round(left + (walked - 1.5 * arc - _STRAIGHT), 2), round(middle - radius, 2)
    return _on_circle((walked - 1.5 * arc - 2 * _STRAIGHT) / arc * 180, radius, (right, middle))


def _band(start: float, end: float, outer: float, inner: float) -> str:
    steps = 12
    line = [start + (end - start) * n / steps for n in range(steps + 1)]
    points = [_track_point(d, outer) for d in line] + [_track_point(d, inner) for d in reversed(line)]
    return "M" + "L".join(f"{x} {y}" for x, y in points) + "Z"


@lru_cache(maxsize=1)
def racetrack() -> tuple[TrackPocket, ...]:
    """The wheel laid out as a track, zero in the middle of the right end, clockwise."""
    step = 1 / len(WHEEL)
    return tuple(
        TrackPocket(
            number,
            str(colour_of(number)),
            _band((place - 0.5) * step, (place + 0.5) * step, 0, TRACK_BAND),
            *_track_point(place * step, TRACK_BAND / 2),
        )
        for place, number in enumerate(WHEEL)
    )


@lru_cache(maxsize=1)
def track_series(series: tuple[tuple[str, tuple[int, ...]], ...]) -> tuple[TrackSeries, ...]:
    """The series inside the track; their lines fall where their numbers end on the wheel.

    `series` names each with the numbers it covers. One that lies in two parts (the orphans) spans the track between.
    """
    middle = TRACK_HEIGHT / 2
    found = []
    for name, numbers in series:
        lefts, rights, tops = [], [], []
        for number in numbers:
            place = WHEEL.index(number)
            for edge in (-0.5, 0.5):
                x, y = _track_point((place + edge) / len(WHEEL), TRACK_BAND)
                lefts.append(x)
                rights.append(x)
                tops.append((y < middle, x))
        upper = [x for above, x in tops if above]
        lower = [x for above, x in tops if not above]
        top, bottom = TRACK_BAND + 2, TRACK_HEIGHT - TRACK_BAND - 2
        a, b = (min(upper or lefts), max(upper or rights))
        c, d = (min(lower or lefts), max(lower or rights))
        path = f"M{a} {top}L{b} {top}L{d} {bottom}L{c} {bottom}Z"
        found.append(TrackSeries(name, path, round((a + b + c + d) / 4, 1), middle))
    return tuple(found)
