"""What the drawings of cloth, wheel and racetrack share: points, and how SVG takes them.

Each drawing is in units of its own view box, and every coordinate is ready as text: SVG takes a decimal point, whatever
the page's language.
"""

from collections.abc import Iterable
from math import cos, pi, sin

Point = tuple[float, float]


def num(value: float) -> str:
    """A coordinate as SVG takes it.

    >>> num(12.0), num(3.14159), num(-0.001)
    ('12', '3.14', '0')
    """
    # Adding zero takes the sign from a rounded minus nothing.
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def points_text(points: Iterable[Point]) -> str:
    """Points as a path takes them, one after the other."""
    return " ".join(f"{num(x)},{num(y)}" for x, y in points)


def on_circle(degrees: float, radius: float, centre: Point = (0, 0)) -> Point:
    """A point at an angle clockwise from the top."""
    angle = degrees * pi / 180
    return centre[0] + radius * sin(angle), centre[1] - radius * cos(angle)
