"""JSON read as it is written, and nothing more lenient: an amount must not be guessed at."""

import json
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class InvalidJson(ValueError):
    """The text is not JSON, or says one thing twice."""


def read_json(text: str | bytes) -> Any:
    """Read JSON: no NaN, no name given twice, no end of nesting; raises InvalidJson."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return _DECODER.decode(text)
    except RecursionError as error:
        raise InvalidJson("it is nested too deeply") from error
    except ValueError as error:
        # JSONDecodeError, UnicodeDecodeError and integers of thousands of digits are ValueErrors.
        raise InvalidJson(str(error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a name is given twice")
    return read


# Made once: making one costs as much as reading a small request.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_once_each)


class StrictJsonParser(JSONParser):
    """The parser of every API view."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Read the body; raises ParseError (400)."""
        try:
            return read_json(stream.read())
        except InvalidJson as error:
            raise ParseError(f"The body is not JSON: {error}.") from error
