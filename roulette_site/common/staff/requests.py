"""Four-eyes requests: the list, one of them, and the answer of whoever decides it."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from roulette_site.common import four_eyes
from roulette_site.common.audit import actor_of, trail_of
from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import FourEyesRequest, RequestState
from roulette_site.common.sql import database_now

from .page import names_of, render_staff, staff_page

MOST = 100
MOST_DONE = 20
ANSWERS = {"approve": four_eyes.approve_request, "refuse": four_eyes.refuse_request}


@staff_page
@require_safe
def requests(request: HttpRequest) -> HttpResponse:
    """Show the requests that wait, those for this person first, and the latest that were answered."""
    _let_in(request)
    now = database_now()
    seen = four_eyes.requests_seen_by(request.user).order_by("-id")
    mine = set(four_eyes.requests_to_decide(request.user, at=now).values_list("pk", flat=True)[:MOST])
    waiting = list(seen.filter(state=RequestState.OPEN, expires_at__gt=now)[:MOST])
    waiting.sort(key=lambda one: (one.pk not in mine, one.expires_at, one.pk))
    done = list(seen.exclude(state=RequestState.OPEN, expires_at__gt=now)[:MOST_DONE])
    names = names_of(person for one in (*waiting, *done) for person in (one.maker, one.decider))
    context = {
        "waiting": [_line(one, names, now) | {"is_mine": one.pk in mine} for one in waiting],
        "done": [_line(one, names, now) for one in done],
    }
    return render_staff(request, "common/requests.html", "Four-eyes requests", context)


@staff_page
@require_safe
def one_request(request: HttpRequest, request_id: int) -> HttpResponse:
    """Show what is asked for, by whom and why, and the form of the answer to whoever may give it."""
    return _show(request, _find(request, request_id))


@staff_page
@require_POST
def decide(request: HttpRequest, request_id: int) -> HttpResponse:
    """Take the answer: `answer` is approve or refuse, `reason` says why."""
    asked = _find(request, request_id)
    answer, reason = request.POST.get("answer", ""), request.POST.get("reason", "")
    if answer not in ANSWERS:
        return _show(request, asked, refusal="Approve the request, or refuse it.", reason=reason, status=422)
    try:
        ANSWERS[answer](request_id=asked.pk, user=request.user, reason=reason, at=database_now())
    except RuleBroken as broken:
        asked.refresh_from_db()
        return _show(request, asked, refusal=broken.message, reason=reason, status=broken.http_status)
    messages.success(request, f"Request {asked.pk} is {'approved, and done' if answer == 'approve' else 'refused'}.")
    return redirect("staff:requests")


def _let_in(request: HttpRequest) -> None:
    user: Any = request.user
    may_act = four_eyes.names_to_decide(user) or four_eyes.acts_to_make(user)
    if not (may_act or user.has_perm("common.view_foureyesrequest")):
        raise PermissionDenied


def _find(request: HttpRequest, request_id: int) -> FourEyesRequest:
    """The request, if this person may see it; another one is as if it did not exist."""
    _let_in(request)
    if request_id >= 2**63:
        raise Http404
    found = four_eyes.requests_seen_by(request.user).filter(pk=request_id).first()
    if found is None:
        raise Http404
    return found


def _show(
    request: HttpRequest, asked: FourEyesRequest, *, refusal: str = "", reason: str = "", status: int = 200
) -> HttpResponse:
    now = database_now()
    waits_for_me = four_eyes.requests_to_decide(request.user, at=now).filter(pk=asked.pk).exists()
    steps = list(trail_of(four_eyes.SUBJECT, asked.pk)[:MOST])
    names = names_of([asked.maker, asked.decider, *(step.actor for step in steps)])
    context = {
        "line": _line(asked, names, now),
        "waits_for_me": waits_for_me,
        "is_maker": asked.maker == actor_of(request.user),
        "is_open": asked.state == RequestState.OPEN and asked.expires_at > now,
        "refusal": refusal,
        "reason": reason,
        "steps": [
            {"entry": step, "name": names.get(step.actor, ""), "code": (step.after or {}).get("code", "")}
            for step in reversed(steps)
        ],
    }
    return render_staff(request, "common/request.html", f"Request {asked.pk}", context, status=status)


def _line(one: FourEyesRequest, names: dict[str, str], now: Any) -> dict[str, Any]:
    try:
        title = four_eyes.find_act(one.act).title
    except four_eyes.UnknownAct:
        title = one.act
    overdue = one.state == RequestState.OPEN and one.expires_at <= now
    return {
        "request": one,
        "title": title,
        "sentence": four_eyes.describe(one),
        "maker": names.get(one.maker, one.maker),
        "decider": names.get(one.decider or "", one.decider),
        "state": RequestState.EXPIRED.label if overdue else one.get_state_display(),
    }
