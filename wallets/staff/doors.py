"""What every page of the staff asks of who comes: to be logged in at the back-office, and to have the right."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from roulette_site.common.requests import whole_number
from wallets.models import Player

Page = Callable[..., HttpResponse]


def staff_page(*, see: str, act: str) -> Callable[[Page], Page]:
    """Let in who has the right `see`; a POST needs `act`, too. Anybody else is led to the login, or refused."""

    def decorate(page: Page) -> Page:
        @wraps(page)
        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            rights = (see, act) if request.method == "POST" else (see,)
            if request.method not in ("GET", "HEAD", "POST"):
                return HttpResponse(status=405)
            if not request.user.has_perms(rights):
                raise PermissionDenied
            return page(request, *args, **kwargs)

        # The admin's own door: who is nobody is led to its login, and no cache keeps what it shows.
        return admin.site.admin_view(view)

    return decorate


def actor_of(request: HttpRequest) -> str:
    """The id under which a member of the staff stands in lasting rows."""
    return f"staff:{request.user.pk}"


def player_asked_for(request: HttpRequest) -> Player | None:
    """The player whose rows alone a list is to show (`?player=12`); None where it is everybody's."""
    wanted = request.GET.get("player", "")
    return get_object_or_404(Player, pk=whole_number(wanted) or 0) if wanted else None


def context_of(request: HttpRequest, title: str) -> dict[str, Any]:
    """What the admin's frame needs."""
    return {**admin.site.each_context(request), "title": title}
