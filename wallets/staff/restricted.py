"""The registry of restricted persons for staff: who is entered, entering somebody, and asking to end an entry."""

import datetime as dt
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters

from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import make_request
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from roulette_site.common.staff.page import names_of
from wallets.acts.standing import END_ENTRY
from wallets.models import RestrictedEntry, RestrictedKind
from wallets.selectors.restricted import players_named_by, search_entries
from wallets.services.restricted import SUBJECT, NobodyNamed, NoSuchTime, add_entry

from .doors import actor_of, context_of, staff_page

SEE, ENTER, ASK = "wallets.view_restrictedentry", "wallets.enter_restricted", "common.request_compliance"
ROWS_A_PAGE = 50


@sensitive_post_parameters("document_number", "email", "search")
@staff_page(see=SEE, act=SEE)
def restricted_list(request: HttpRequest) -> HttpResponse:
    """Show the entries, the latest first. A POST searches by a whole address or number, or enters somebody.

    What is searched for says who somebody is, so it stands in no address of a page.
    """
    refusal, searched = "", ""
    if request.method == "POST":
        match request.POST.get("act"):
            case "search":
                searched = request.POST.get("search", "").strip()
            case "enter":
                if not request.user.has_perm(ENTER):
                    raise PermissionDenied
                try:
                    entry = _enter(request)
                except RuleBroken as error:
                    refusal = error.message
                else:
                    messages.success(request, "Entered.")
                    return redirect("staff-restricted-entry", entry_id=entry.pk)
            case _:
                return HttpResponse(status=400)
    entries = search_entries(searched).order_by("-id")
    before = whole_number(request.GET.get("before", ""))
    rows = list((entries if before is None else entries.filter(pk__lt=before))[:ROWS_A_PAGE])
    now = database_now()
    context = {
        **context_of(request, "Restricted persons"),
        "lines": [(row, _stands(row, now)) for row in rows],
        "is_search": bool(searched),
        "older": rows[-1].pk if len(rows) == ROWS_A_PAGE and not searched else None,
        "kinds": RestrictedKind.choices,
        "may_enter": request.user.has_perm(ENTER),
        "refusal": refusal,
        "typed": request.POST if refusal else {},
    }
    return render(request, "wallets/staff/restricted_list.html", context, status=409 if refusal else 200)


@staff_page(see=SEE, act=ASK)
def restricted_entry(request: HttpRequest, entry_id: int) -> HttpResponse:
    """Show one entry and the players whom it names; a POST asks a second person to end it."""
    entry = get_object_or_404(RestrictedEntry, pk=min(entry_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        try:
            make_request(
                act=END_ENTRY,
                arguments={"entry": entry.pk},
                user=request.user,
                reason=request.POST.get("reason", ""),
                at=database_now(),
            )
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.success(request, "Asked: another person decides it.")
            return redirect("staff-restricted-entry", entry_id=entry.pk)
    names = names_of([entry.actor, entry.end_actor, entry.end_second_actor])
    context = {
        **context_of(request, f"Restricted person {entry.pk}"),
        "entry": entry,
        "stands": _stands(entry, database_now()),
        "actor": names.get(entry.actor, entry.actor),
        "ended_by": [names.get(one, one) for one in (entry.end_actor, entry.end_second_actor) if one],
        "players": players_named_by(entry),
        "may_ask": request.user.has_perm(ASK) and entry.ended_at is None,
        "trail": reverse("staff:trail", args=[SUBJECT, entry.pk]),
        "refusal": refusal,
    }
    return render(request, "wallets/staff/restricted_entry.html", context, status=409 if refusal else 200)


def _enter(request: HttpRequest) -> RestrictedEntry:
    try:
        kind = RestrictedKind(request.POST.get("kind", ""))
    except ValueError:
        raise NobodyNamed("There is no such kind.") from None
    return add_entry(
        kind=kind,
        document_number=request.POST.get("document_number", ""),
        email=request.POST.get("email", ""),
        reason=request.POST.get("reason", ""),
        starts_at=_day(request, "from"),
        ends_at=_day(request, "until"),
        actor=actor_of(request),
        at=database_now(),
    )


def _day(request: HttpRequest, name: str) -> dt.datetime | None:
    """The first instant of a day (UTC, as all times of the back-office); None for an empty field."""
    text = request.POST.get(name, "").strip()
    if not text:
        return None
    try:
        return dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), dt.UTC)
    except ValueError:
        raise NoSuchTime("A day is written as 2026-12-31.") from None


def _stands(entry: RestrictedEntry, now: dt.datetime) -> dict[str, Any]:
    """Whether the entry bars anybody, for the page."""
    if entry.ended_at is not None:
        return {"word": "ended", "is_in_force": False}
    if entry.starts_at > now:
        return {"word": "not begun", "is_in_force": False}
    if entry.ends_at is not None and entry.ends_at <= now:
        return {"word": "run out", "is_in_force": False}
    return {"word": "in force", "is_in_force": True}
