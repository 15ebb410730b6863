"""What must be true of whoever is logged in, at every request: seen lately, and staff with a second factor."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

from wallets.models import LoginRecord
from wallets.personal import is_idle
from wallets.web.arrivals import LOGIN_KEY, SEEN_AT
from wallets.web.second_factor import has_shown_second_factor

# What an open page asks by itself, without anybody sitting before it.
ASKED_BY_PAGES = frozenset({"events", "state", "last-play"})
# What belongs to nobody.
FOR_EVERYONE = frozenset({"brand-css", "healthz", "readyz"})
# What staff reach before their second factor; everything else under ADMIN_URL waits for it.
BEFORE_SECOND_FACTOR = frozenset({"staff-login", "staff-second-factor", "staff-second-factor-set-up", "logout"})
WRITE_EVERY_SECONDS = 60
WAS_IDLE = "was_idle"


class PresenceMiddleware(MiddlewareMixin):
    """Ends sessions that nobody uses, and lets no member of staff in without a second factor."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Answer instead of the page where it may not be shown."""
        match = request.resolver_match
        name = match.url_name if match is not None else None
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or name in FOR_EVERYONE:
            return None
        if not request.user.is_authenticated:
            return None
        _be_seen(request, at=timezone.now(), by_person=name not in ASKED_BY_PAGES)
        if not request.user.is_authenticated or not getattr(request, "is_staff_entrance", False):
            return None
        if name in BEFORE_SECOND_FACTOR or has_shown_second_factor(request):
            return None
        return redirect("staff-second-factor-set-up")


def _be_seen(request: HttpRequest, *, at: dt.datetime, by_person: bool) -> None:
    """Log out who was away for too long; note the others now and then (a note is a write to the database)."""
    session = request.session
    seen_at = dt.datetime.fromtimestamp(session.get(SEEN_AT, at.timestamp()), tz=dt.UTC)
    if is_idle(seen_at=seen_at, at=at, idle_seconds=settings.IDLE_SECONDS):
        logout(request)
        request.session[WAS_IDLE] = True
        return
    if by_person and (SEEN_AT not in session or (at - seen_at).total_seconds() >= WRITE_EVERY_SECONDS):
        session[SEEN_AT] = at.timestamp()
    if session.get(LOGIN_KEY) and session.session_key != session[LOGIN_KEY]:
        # A changed password gives the session another key, under which it must still be found and ended.
        LoginRecord.objects.filter(session_key=session[LOGIN_KEY]).update(session_key=session.session_key)
        session[LOGIN_KEY] = session.session_key
