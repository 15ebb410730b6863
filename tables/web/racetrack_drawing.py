"""Where the racetrack is drawn, computed from the engine's table of the wheel, lying and upright."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi

from tables.roulette.wheel import WHEEL, colour_of

from .coordinates import Point, num, on_circle, points_text


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
            return on_circle(90 + walked / arc * 180, radius, (right, middle))
        walked -= arc / 2
        if walked < straight:
            return right - walked, middle + radius
        walked -= straight
        if walked < arc:
            return on_circle(180 + walked / arc * 180, radius, (left, middle))
        walked -= arc
        if walked < straight:
            return left + walked, middle - radius
        return on_circle((walked - straight) / arc * 180, radius, (right, middle))

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
            found.append(TrackSeries(name, f"M{points_text(corners)}Z", num(x), num(y)))
        return found


WIDE_TRACK = Racetrack("wide", length=924, breadth=128, band=36, turned=False)
TALL_TRACK = Racetrack("tall", length=424, breadth=176, band=46, turned=True)


@lru_cache(maxsize=2)
def _track_pockets(track: Racetrack) -> tuple[TrackPocket, ...]:
    found = []
    for place, number in enumerate(WHEEL):
        outer, inner = (track.edge(place - 0.5, place + 0.5, inset) for inset in (0, track.band))
        x, y = track.point(place, track.band / 2)
        path = f"M{points_text([*outer, *reversed(inner)])}Z"
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
