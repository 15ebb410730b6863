"""Two entrances, two cookies: who plays in one tab and works in the other stays both, and neither login is the other's.

The back-office lies under ADMIN_URL, and its cookie is sent nowhere else; everything else is the players' side.
"""

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse

_PLAYERS = settings.SESSION_COOKIE_NAME
_STAFF = settings.STAFF_SESSION_COOKIE_NAME
_STAFF_PATH = f"/{settings.ADMIN_URL}"


class EntranceMiddleware(SessionMiddleware):
    """Django's sessions, with a cookie of its own for the staff's entrance."""

    def process_request(self, request: HttpRequest) -> None:
        """Take the session that belongs to the entrance of the address."""
        if request.path_info.startswith(_STAFF_PATH):
            _take_staff_cookie(request)
        super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Save the session; Django's middleware knows one cookie, so the staff's gets its name and its path here."""
        answer = super().process_response(request, response)
        if getattr(request, "is_staff_entrance", False) and _PLAYERS in answer.cookies:
            cookie = answer.cookies.pop(_PLAYERS)
            answer.cookies[_STAFF] = cookie.value
            answer.cookies[_STAFF].update(cookie)
            answer.cookies[_STAFF]["path"] = _STAFF_PATH
        return answer


def go_to_staff_entrance(request: HttpRequest) -> None:
    """Let a login from a page of the players' side be one at the staff's entrance; who plays there stays logged in."""
    _take_staff_cookie(request)
    request.session = type(request.session)()


def _take_staff_cookie(request: HttpRequest) -> None:
    request.is_staff_entrance = True  # type: ignore[attr-defined]
    mine = request.COOKIES.get(_STAFF)
    others = {name: value for name, value in request.COOKIES.items() if name not in (_STAFF, _PLAYERS)}
    request.COOKIES = others if mine is None else others | {_PLAYERS: mine}
