"""The register of excluded people for staff: how it stands, whom it listed, and asking about everybody anew."""

from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from roulette_site.common.later import after_commit
from roulette_site.common.requests import whole_number
from wallets.models import RegisterAnswer, RegisterCheck
from wallets.services.register_asking import current_register, state_of

from .doors import context_of, staff_page

SEE, ACT = "wallets.view_registercheck", "wallets.protect_player"
ROWS_A_PAGE = 50


@staff_page(see=SEE, act=ACT)
def register(request: HttpRequest) -> HttpResponse:
    """Show the register and the latest questions, all or those with one answer; a POST asks about everybody."""
    if request.method == "POST":
        after_commit("wallets.tasks.recheck_players", "background", everybody=True)
        messages.success(request, "Every player is asked about now: the answers come in below.")
        return redirect("staff-register")
    answer = request.GET.get("answer", "")
    if answer not in RegisterAnswer.values:
        answer = ""
    checks = RegisterCheck.objects.select_related("player").order_by("-id")
    if answer:
        checks = checks.filter(answer=answer)
    before = whole_number(request.GET.get("before", ""))
    rows = list((checks if before is None else checks.filter(pk__lt=before))[:ROWS_A_PAGE])
    fault = ""
    try:
        asked = current_register()
    except ImproperlyConfigured as error:
        asked, fault = None, str(error)
    context = {
        **context_of(request, "Register of excluded people"),
        "register": asked,
        "state": None if asked is None else state_of(asked),
        "fault": fault,
        "rows": rows,
        "answers": RegisterAnswer.choices,
        "answer": answer,
        "older": rows[-1].pk if len(rows) == ROWS_A_PAGE else None,
        "may_ask": asked is not None and request.user.has_perm(ACT),
    }
    return render(request, "wallets/staff/register.html", context)
