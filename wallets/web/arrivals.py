"""What Django tells of logins and logouts, put on record. One place for every way in: both entrances and /demo/."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import timezone

from roulette_site.common.requests import client_address
from wallets.models import Entrance, Player, RegisterOccasion, User
from wallets.services.logins import end_login, record_login
from wallets.services.register_checks import check_if_due

SEEN_AT = "seen_at"
LOGIN_KEY = "login_key"


def note_login(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Record a login, end the user's sessions on other devices, and look a player up where it is time to."""
    at = timezone.now()
    session = request.session
    if not session.session_key:
        session.save()
    assert session.session_key is not None
    session[SEEN_AT] = at.timestamp()
    session[LOGIN_KEY] = session.session_key
    is_staff_entrance = getattr(request, "is_staff_entrance", False)
    record_login(
        user=user,
        entrance=Entrance.STAFF if is_staff_entrance else Entrance.PLAYERS,
        session_key=session.session_key,
        address=client_address(request),
        browser=request.headers.get("User-Agent", ""),
        at=at,
    )
    player = None if is_staff_entrance else Player.objects.filter(user=user).first()
    if player is not None:
        check_if_due(player=player, occasion=RegisterOccasion.LOGIN, at=at)


def note_logout(sender: Any, request: HttpRequest, user: User | AnonymousUser | None, **kwargs: Any) -> None:
    """Record a logout."""
    end_login(session_key=request.session.session_key or "", at=timezone.now())
