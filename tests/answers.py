"""What a test asks of an answer, of the API or of a command."""

from collections.abc import Iterator
from typing import Any


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every named value inside an answer."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)
