"""What the staff's own pages share: the admin's frame, its login, and people's names beside their ids."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

View = Callable[..., HttpResponse]


def staff_page(view: View) -> View:
    """Let only members of the staff who logged in at the back-office come here."""
    return admin.site.admin_view(view)


def render_staff(
    request: HttpRequest, template: str, title: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A page in the admin's frame."""
    return render(request, template, admin.site.each_context(request) | {"title": title} | context, status=status)


def names_of(actors: Iterable[str | None]) -> dict[str, str]:
    """What members of the staff are called ("staff:3": "Filipa"), for a page; nothing that lasts keeps it."""
    keys = {}
    for actor in actors:
        kind, _, key = (actor or "").partition(":")
        if kind == "staff" and key.isascii() and key.isdigit() and len(key) < 19:
            keys[int(key)] = str(actor)
    users = get_user_model()._default_manager.filter(pk__in=keys)
    return {keys[user.pk]: getattr(user, "full_name", "") or user.get_username() for user in users}
