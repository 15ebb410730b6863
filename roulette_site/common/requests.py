"""What every request must be before anybody looks at it, and what is read from it everywhere."""

from ipaddress import ip_address

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

_MOST_DIGITS = 18


class ReadableRequestMiddleware(MiddlewareMixin):
    """Refuse what nobody here would read: a body larger than any form sends, or a NUL in an address.

    No name here has a NUL, and PostgreSQL does not take it as text.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Pass on what can be read; raises RequestDataTooBig (413) or BadRequest (400) otherwise."""
        if (whole_number(str(request.META.get("CONTENT_LENGTH", ""))) or 0) > settings.MOST_REQUEST_BYTES:
            raise RequestDataTooBig("A request is not that large.")
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
