"""Where the cloth, the wheel and the racetrack are drawn, computed from the engine's tables: no second list anywhere.

Each drawing is in units of its own SVG view box, and every coordinate is ready as text: SVG takes a decimal point,
whatever the page's language. There are two layouts of the cloth, wide (zero left) and tall (zero on top), and of the
racetrack.
"""

from collections.abc import Callable, Iterable, Sequence
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


def num(value: float) -> str:
    """A coordinate as SVG takes it.

    >>> num(12.0), num(3.14159), num(-0.001)
    ('12', '3.14', '0')
    """
    # Adding zero takes the sign from a rounded minus nothing.
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{num(x)},{num(y)}" for x, y in points)


# --- Cloth ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Place:
    """A spot on the drawing: the region that belongs to it, and where its chips stand.

    Framed spots have a box; a chip can also stand on a line or a crossing of lines, whose region lies on top of boxes.
    """

    spot: Spot
    left: float
    top: float
    wide: float
    high: float
    chip_at: Point
    is_box: bool

    @property
    def x(self) -> str:
        return num(self.left)

    @property
    def y(self) -> str:
        return num(self.top)

    @property
    def width(self) -> str:
        return num(self.wide)

    @property
    def height(self) -> str:
        return num(self.high)

    @property
    def cx(self) -> str:
        return num(self.chip_at[0])

    @property
    def cy(self) -> str:
        return num(self.chip_at[1])

    @property
    def number(self) -> int | None:
        """The number that is printed in the box."""
        return self.spot.on[0] if self.spot.type is SpotType.STRAIGHT else None

    @property
    def colour(self) -> str:
        """The colour of that number: red, black or none."""
        return "" if self.number is None else str(colour_of(self.number))

    @property
    def span(self) -> str:
        """First and last number, as they are printed in boxes of numbers in a row."""
        return f"{self.spot.numbers[0]}–{self.spot.numbers[-1]}"  # noqa: RUF001

    @property
    def diamond(self) -> str:
        """The corners of the diamond of red and black."""
        x, y = self.chip_at
        w, h = min(self.wide, self.high * 2) * 0.32, min(self.high, self.wide * 2) * 0.34
        return _points(((x - w, y), (x, y - h), (x + w, y), (x, y + h)))

    @property
    def is_upright(self) -> bool:
        """Whether words in the box must be turned to fit."""
        return self.high > self.wide

    @property
    def corner(self) -> Point:
        """Where a marker stands that must not hide what is printed in the box: its upper right."""
        return self.left + self.wide * 0.8, self.top + self.high * 0.22


@dataclass(frozen=True)
class ClothDrawing:
    """A layout: its view box and the places, boxes first, so that what lies between them is on top."""

    name: str
    across: float
    down: float
    chip_scale: str
    oval: tuple[str, str]
    places: tuple[Place, ...]

    @property
    def width(self) -> str:
        return num(self.across)

    @property
    def height(self) -> str:
        return num(self.down)

    @property
    def boxes(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if place.is_box)

    def at(self, spot: Spot) -> Place:
        """The place of a spot."""
        return _by_index(self)[spot.index]

    @property
    def zero_path(self) -> str:
        """The frame of the zero, round on the side away from the numbers."""
        box = self.at(SPOTS[0])
        left, top, right, bottom = box.left, box.top, box.left + box.wide, box.top + box.high
        round_by = min(box.wide, box.high) * 0.42
        if box.is_upright:
            corners = ((left, top), (left, bottom))
            outline = [(right, top), (left + round_by, top), (left, top + round_by)]
            outline += [(left, bottom - round_by), (left + round_by, bottom), (right, bottom)]
        else:
            corners = ((left, top), (right, top))
            outline = [(left, bottom), (left, top + round_by), (left + round_by, top)]
            outline += [(right - round_by, top), (right, top + round_by), (right, bottom)]
        # Straight to where the corner begins to be round, round it, and on.
        a, b, c, d, e, f = (f"{num(x)} {num(y)}" for x, y in outline)
        first, second = (f"{num(x)} {num(y)}" for x, y in corners)
        return f"M{a}L{b}Q{first} {c}L{d}Q{second} {e}L{f}Z"


@lru_cache(maxsize=4)
def _by_index(drawing: ClothDrawing) -> dict[int, Place]:
    return {place.spot.index: place for place in drawing.places}


@lru_cache(maxsize=1)
def wide_cloth() -> ClothDrawing:
    """The layout for a desk: rows of numbers are higher than those of dozens and even money."""
    cell_width, cell_height, outside_height, margin = 66.0, 72.0, 56.0, 3.0

    def at(x: float, y: float) -> Point:
        return (
            margin + (x + 1) * cell_width,
            margin + min(y, ROWS) * cell_height + max(y - ROWS, 0) * outside_height,
        )

    return _draw("wide", at, lambda spot: spot.centre, margin, reach=(0.2, 0.2), chip_scale=1.0, oval=(0.37, 0.39))


@lru_cache(maxsize=1)
def tall_cloth() -> ClothDrawing:
    """The layout for a phone: dozens and even money are narrow columns at the left."""
    cell_width, cell_height, outside_width, margin = 83.0, 30.0, 44.0, 2.0

    def at(x: float, y: float) -> Point:
        # Coordinates are those of the wide layout; Spot.tall_centre says how they turn.
        across, down = ROWS - y, x
        return (
            margin + (min(across, 0) + 2) * outside_width + max(across, 0) * cell_width,
            margin + (down + 1) * cell_height,
        )

    return _draw("tall", at, lambda spot: spot.centre, margin, reach=(0.25, 0.25), chip_scale=0.79, oval=(0.265, 0.4))


def _draw(
    name: str,
    at: Callable[[float, float], Point],
    centre_of: Callable[[Spot], Point],
    margin: float,
    *,
    reach: Point,
    chip_scale: float,
    oval: Point,
) -> ClothDrawing:
    """Lay every spot out.

    `reach` says how far the region of a line goes into the cells beside it, in cells along x and along y.
    """
    places = []
    for spot in SPOTS:
        x, y = centre_of(spot)
        box = _ZERO_BOX if spot.on == (0,) else _BOXES.get(spot.type)
        if box is not None:
            half_x, half_y = box[0] / 2, box[1] / 2
        else:
            # A whole coordinate lies on a line of the cloth; along the line the region ends short of the crossings.
            half_x = reach[0] if x == int(x) else 0.5 - reach[0]
            half_y = reach[1] if y == int(y) else 0.5 - reach[1]
        corners = at(x - half_x, y - half_y), at(x + half_x, y + half_y)
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        places.append(Place(spot, left, top, right - left, bottom - top, at(x, y), is_box=box is not None))
    places.sort(key=lambda place: (not place.is_box, place.spot.index))
    across = max(place.left + place.wide for place in places) + margin
    down = max(place.top + place.high for place in places) + margin
    cell = next(place for place in places if place.spot.on == (1,))
    return ClothDrawing(
        name, across, down, num(chip_scale), (num(cell.wide * oval[0]), num(cell.high * oval[1])), tuple(places)
    )


# --- Wheel ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Pocket:
    """A pocket of the wheel: its number on the outer ring and the place where the ball rests on the inner one."""

    number: int
    colour: str
    degrees: str
    number_path: str
    pocket_path: str
    label_y: str


_STEP = 360 / len(WHEEL)
NUMBER_RING, POCKET_RING = (98.0, 119.0), (79.0, 98.0)
LABEL_RADIUS = 108.6
# Where the ball runs, and where it rests: the script that lets it fall reads them from the drawing.
BALL_TRACK_RADIUS, BALL_REST_RADIUS = 138.0, 88.0


@lru_cache(maxsize=1)
def wheel_pockets() -> tuple[Pocket, ...]:
    """The 37 pockets around (0, 0), zero on top, clockwise."""
    return tuple(
        Pocket(
            number,
            str(colour_of(number)),
            num(place * _STEP),
            _slice((place - 0.5) * _STEP, (place + 0.5) * _STEP, *NUMBER_RING),
            _slice((place - 0.5) * _STEP, (place + 0.5) * _STEP, *POCKET_RING),
            num(-LABEL_RADIUS),
        )
        for place, number in enumerate(WHEEL)
    )


def degrees_of(number: int) -> str:
    """How far round the wheel a number lies, clockwise from the zero."""
    return num(WHEEL.index(number) * _STEP)


def _on_circle(degrees: float, radius: float, centre: Point = (0, 0)) -> Point:
    """A point at an angle clockwise from the top."""
    angle = degrees * pi / 180
    return centre[0] + radius * sin(angle), centre[1] - radius * cos(angle)


def _slice(start: float, end: float, inner: float, outer: float) -> str:
    corners = [
        " ".join(map(num, _on_circle(angle, radius)))
        for angle, radius in ((start, outer), (end, outer), (end, inner), (start, inner))
    ]
    a, b, c, d = corners
    return f"M{a}A{num(outer)} {num(outer)} 0 0 1 {b}L{c}A{num(inner)} {num(inner)} 0 0 0 {d}Z"


# --- Racetrack --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TrackPocket:
    """A number of the racetrack."""

    number: int
    colour: str
    path: str
    label_x: str
    label_y: str


@dataclass(frozen=True)
class TrackSeries:
    """A series inside the racetrack; its lines fall where its numbers end on the wheel."""

    name: str
    path: str
    label_x: str
    label_y: str


Series = tuple[tuple[str, frozenset[int]], ...]


@dataclass(frozen=True)
class Racetrack:
    """The wheel laid out as a track: along it the numbers, inside it the series."""

    name: str
    length: float
    breadth: float
    band: float
    # Zero on top instead of at the right.
    turned: bool

    @property
    def width(self) -> str:
        return num(self.breadth if self.turned else self.length)

    @property
    def height(self) -> str:
        return num(self.length if self.turned else self.breadth)

    @property
    def pockets(self) -> tuple[TrackPocket, ...]:
        """The 37 numbers in the wheel's order, zero in the middle of its end."""
        return _track_pockets(self)

    def point(self, place: float, inset: float) -> Point:
        """A point at a place of the wheel (0 is the zero's middle, 37 places all round), `inset` from the rim."""
        x, y = self._point(place / len(WHEEL), inset)
        return (y, self.length - x) if self.turned else (x, y)

    def _point(self, share: float, inset: float) -> Point:
        radius = self.breadth / 2 - 2 - inset
        left, right, middle = self.breadth / 2, self.length - self.breadth / 2, self.breadth / 2
        straight = right - left
        # Measured along the middle of the band, so that all pockets are alike.
        arc = pi * (self.breadth / 2 - 2 - self.band / 2)
        walked = (share % 1) * 2 * (straight + arc)
        if walked < arc / 2:
            return _on_circle(90 + walked / arc * 180, radius, (right, middle))
        walked -= arc / 2
        if walked < straight:
            return right - walked, middle + radius
        walked -= straight
        if walked < arc:
            return _on_circle(180 + walked / arc * 180, radius, (left, middle))
        walked -= arc
        if walked < straight:
            return left + walked, middle - radius
        return _on_circle((walked - straight) / arc * 180, radius, (right, middle))

    def edge(self, first: float, last: float, inset: float) -> list[Point]:
        """The line between two places, close enough to a curve."""
        steps = max(2, round((last - first) * 8))
        return [self.point(first + (last - first) * n / steps, inset) for n in range(steps + 1)]

    def areas(self, series: Series) -> list[TrackSeries]:
        """The areas of series, given as names with the numbers that each covers."""
        found = []
        for name, numbers in series:
            corners = [point for run in _runs(numbers) for point in self.edge(run[0], run[1], self.band)]
            x, y = _centroid(corners)
            found.append(TrackSeries(name, f"M{_points(corners)}Z", num(x), num(y)))
        return found


WIDE_TRACK = Racetrack("wide", length=924, breadth=128, band=36, turned=False)
TALL_TRACK = Racetrack("tall", length=424, breadth=176, band=46, turned=True)


@lru_cache(maxsize=2)
def _track_pockets(track: Racetrack) -> tuple[TrackPocket, ...]:
    found = []
    for place, number in enumerate(WHEEL):
        outer, inner = (track.edge(place - 0.5, place + 0.5, inset) for inset in (0, track.band))
        x, y = track.point(place, track.band / 2)
        path = f"M{_points([*outer, *reversed(inner)])}Z"
        found.append(TrackPocket(number, str(colour_of(number)), path, num(x), num(y)))
    return tuple(found)


def _runs(numbers: frozenset[int]) -> list[Point]:
    """Where numbers lie side by side on the wheel: the edges of each run, clockwise.

    >>> _runs(frozenset({17, 34, 6, 1, 20, 14, 31, 9}))
    [(7.5, 10.5), (22.5, 27.5)]
    """
    size = len(WHEEL)
    starts = [place for place, number in enumerate(WHEEL) if number in numbers and WHEEL[place - 1] not in numbers]
    runs = []
    for start in starts:
        length = next(n for n in range(1, size + 1) if WHEEL[(start + n) % size] not in numbers)
        runs.append((start - 0.5, start + length - 0.5))
    return runs


def _centroid(corners: Sequence[Point]) -> Point:
    """The middle of an area, where its name is written."""
    twice_area = x_sum = y_sum = 0.0
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        cross = x1 * y2 - x2 * y1
        twice_area += cross
        x_sum += (x1 + x2) * cross
        y_sum += (y1 + y2) * cross
    return x_sum / (3 * twice_area), y_sum / (3 * twice_area)
