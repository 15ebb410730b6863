"""Where the cloth is drawn, computed from the engine's tables: no second list anywhere.

There are two layouts, wide (zero left) and tall (zero on top).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from tables.roulette.cloth import EVEN_MONEY_ROW, ROWS, SPOTS, STREETS, Spot, SpotType
from tables.roulette.wheel import colour_of

from .coordinates import Point, num, points_text

# Width and height in cells of the boxes that have a frame of their own, on the wide layout.
_BOXES = {
    SpotType.STRAIGHT: (1.0, 1.0),
    SpotType.DOZEN: (STREETS / 3, 1.0),
    SpotType.COLUMN: (1.0, 1.0),
} | {wager: (STREETS / len(EVEN_MONEY_ROW), 1.0) for wager in EVEN_MONEY_ROW}
_ZERO_BOX = (1.0, float(ROWS))


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
        return points_text(((x - w, y), (x, y - h), (x + w, y), (x, y + h)))

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
