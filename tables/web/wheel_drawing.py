"""Where the wheel's pockets are drawn, computed from the engine's table, around (0, 0)."""

from dataclasses import dataclass
from functools import lru_cache

from tables.roulette.wheel import WHEEL, colour_of

from .coordinates import num, on_circle


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


def _slice(start: float, end: float, inner: float, outer: float) -> str:
    corners = [
        " ".join(map(num, on_circle(angle, radius)))
        for angle, radius in ((start, outer), (end, outer), (end, inner), (start, inner))
    ]
    a, b, c, d = corners
    return f"M{a}A{num(outer)} {num(outer)} 0 0 1 {b}L{c}A{num(inner)} {num(inner)} 0 0 0 {d}Z"
