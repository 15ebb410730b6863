"""What every request must be before anybody looks at it, and what is read from it everywhere."""

from ipaddress import ip_address

from django.conf import settings
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


def client_address(request: HttpRequest) -> str | None:
    """Return the address that a request came from; None where there is none to be believed.

    Behind a proxy it is the last one of X-Forwarded-For: the proxy has written that, the caller any before it.
    """
    said = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_TLS_PROXY:
        said = request.META.get("HTTP_X_FORWARDED_FOR", said).rpartition(",")[2].strip()
    try:
        return str(ip_address(said))
    except ValueError:
        return None
