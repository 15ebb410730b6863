"""Acts of staff on somebody's account, each with a right of its own and a reason."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import make_request
from roulette_site.common.sql import database_now
from wallets.acts.roles import GIVE_ROLE
from wallets.models import User
from wallets.selectors.roles import ADMINISTERS, acting_roles, acting_roles_of
from wallets.services.closing import close_or_begin
from wallets.services.erasure import erase_person
from wallets.services.logins import failed_logins, has_second_factor, reset_second_factor, unlock_login

from .doors import context_of, staff_page


@dataclass(frozen=True)
class Act:
    """What staff can do, how it is called, and who may."""

    permission: str
    title: Any
    words: Any
    done: Any
    run: Callable[..., object]


ACTS = {
    "unlock": Act(
        "wallets.unlock_login",
        gettext_lazy("Unlock the login"),
        gettext_lazy("The failed logins of this account are forgiven, and it can be logged in to at once."),
        gettext_lazy("The login is unlocked."),
        unlock_login,
    ),
    "reset-second-factor": Act(
        "wallets.reset_second_factor",
        gettext_lazy("Take the second factor away"),
        gettext_lazy(
            "For somebody who has lost device and recovery codes, and has shown who he is. His sessions end; a member"
            " of staff sets up another second factor at his next login."
        ),
        gettext_lazy("The second factor is taken away."),
        reset_second_factor,
    ),
    "close": Act(
        "wallets.close_account",
        gettext_lazy("Close the account"),
        gettext_lazy(
            "Of a player: no bet and no deposit is taken any more, what he has is paid out to him, and then the account"
            " is closed. From then on nobody logs in to it, and the time for which its data are kept begins."
        ),
        gettext_lazy("The account is being closed, or is closed already where there was nothing left to do."),
        close_or_begin,
    ),
    "erase": Act(
        "wallets.erase_person",
        gettext_lazy("Erase the personal data"),
        gettext_lazy(
            "Name, address, documents and logins go for good; the books keep the number of the account. Only after"
            " the time of retention. Name nobody in the reason: it stays."
        ),
        gettext_lazy("The personal data are erased."),
        erase_person,
    ),
}


@require_http_methods(["GET", "POST"])
@never_cache
@staff_member_required(login_url="staff-login")  # type: ignore[untyped-decorator]
def act_on_person(request: HttpRequest, user_id: int, act: str) -> HttpResponse:
    """Ask for the reason; POST does it."""
    chosen = ACTS.get(act)
    if chosen is None:
        raise Http404("There is no such act.")
    staff = request.user
    if not isinstance(staff, User) or not staff.has_perm(chosen.permission):
        raise PermissionDenied
    try:
        user = get_object_or_404(User, pk=user_id)
    except OverflowError:
        raise Http404("There is no such account.") from None
    refusal = ""
    if request.method == "POST":
        try:
            if user.pk == staff.pk:
                raise OwnAccount(_("Nobody does this to his own account."))
            if user.is_superuser and not staff.is_superuser:
                raise PermissionDenied
            chosen.run(user=user, reason=request.POST.get("reason", ""), actor=f"staff:{staff.pk}", at=timezone.now())
        except RuleBroken as refused:
            refusal = refused.message
        else:
            messages.success(request, chosen.done)
            return redirect("admin:wallets_user_change", user.pk)
    context = {
        **admin.site.each_context(request),
        "title": chosen.title,
        "act": chosen,
        "subject": user,
        "failed": failed_logins(user),
        "has_second_factor": has_second_factor(user),
        "refusal": refusal,
        "reason": request.POST.get("reason", ""),
    }
    return render(request, "wallets/staff/act_on_person.html", context, status=409 if refusal else 200)


@staff_page(see=ADMINISTERS, act=ADMINISTERS)
def ask_for_role(request: HttpRequest, user_id: int) -> HttpResponse:
    """Ask that somebody of the staff be given a role that can act; another person decides it."""
    user = get_object_or_404(User, pk=min(user_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        try:
            make_request(
                act=GIVE_ROLE,
                arguments={"user": user.pk, "role": request.POST.get("role", "")},
                user=request.user,
                reason=request.POST.get("reason", ""),
                at=database_now(),
            )
        except RuleBroken as refused:
            refusal = refused.message
        else:
            messages.success(request, _("Asked: another person decides it."))
            return redirect("admin:wallets_user_change", user.pk)
    context = {
        **context_of(request, _("Ask for a role")),
        "subject": user,
        "roles": acting_roles(),
        "has": sorted(acting_roles_of(user)),
        "refusal": refusal,
        "typed": request.POST,
    }
    return render(request, "wallets/staff/ask_for_role.html", context, status=409 if refusal else 200)


class OwnAccount(RuleBroken):
    """Acts of staff are for the accounts of others."""

    code = "own_account"
