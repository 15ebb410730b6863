"""What every request must be before anybody looks at it, and what is read from it everywhere."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

_MOST_DIGITS = 18


class ReadableRequestMiddleware(MiddlewareMixin):
    """Refuse addresses with a NUL in them: no name here has one, and PostgreSQL does not take it as text."""

    def process_request(self, request: HttpRequest) -> None:
        """Pass on what can be read; raises BadRequest (400) otherwise."""
        said = [request.path_info, *request.GET, *(text for _, texts in request.GET.lists() for text in texts)]
        if any("\0" in text for text in said):
            raise BadRequest("An address holds no NUL.")


def whole_number(text: str) -> int | None:
    """The number that a field or a part of an address is; None where it is none that a key could be."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
