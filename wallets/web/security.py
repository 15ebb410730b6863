"""Account security, for players: password, second factor, logins, devices, and what is held about them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from roulette_site.common.errors import RuleBroken
from wallets.models import Entrance, LoginRecord, Player, User
from wallets.selectors.export import export_person
from wallets.selectors.people import last_login_before
from wallets.services.exports import note_export
from wallets.services.logins import end_logins, has_second_factor, recovery_codes, set_password
from wallets.services.people import check_password
from wallets.web.second_factor import check_own_password

LATEST_LOGINS = 10


class PasswordChangeForm(forms.Form):
    """The old password and a new one."""

    old_password = forms.CharField(max_length=128, strip=False, label=gettext_lazy("Old password"))
    new_password = forms.CharField(max_length=128, strip=False, label=gettext_lazy("New password"))

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        """Refuse a wrong one; it counts as a failed login."""
        old: str = self.cleaned_data["old_password"]
        check_own_password(self.request, old)
        return old

    def clean_new_password(self) -> str:
        """Refuse one that is easy to guess."""
        new: str = self.cleaned_data["new_password"]
        try:
            check_password(new, _player_user(self.request))
        except RuleBroken as refused:
            raise forms.ValidationError(refused.details["faults"]) from None
        return new


@require_safe
@login_required
@never_cache
def security(request: HttpRequest) -> HttpResponse:
    """How the account is protected, and who was in it."""
    return _page(request, _player_user(request), PasswordChangeForm(request))


@require_POST
@login_required
@never_cache
@sensitive_post_parameters("old_password", "new_password")
def change_password(request: HttpRequest) -> HttpResponse:
    """Change the password; every other session ends."""
    user = _player_user(request)
    form = PasswordChangeForm(request, request.POST)
    if not form.is_valid():
        return _page(request, user, form, status=422)
    set_password(user=user, password=form.cleaned_data["new_password"], at=timezone.now())
    end_logins(user=user, but=request.session.session_key or "", at=timezone.now())
    update_session_auth_hash(request, user)
    messages.success(request, _("Your password is changed."))
    return redirect("security")


@require_POST
@login_required
@never_cache
def end_others(request: HttpRequest) -> HttpResponse:
    """End the sessions on other devices."""
    user = _player_user(request)
    ended = end_logins(user=user, entrance=Entrance.PLAYERS, but=request.session.session_key or "", at=timezone.now())
    messages.success(request, _("Ended on other devices: %(number)d.") % {"number": ended})
    return redirect("security")


@require_POST
@login_required
@never_cache
def export(request: HttpRequest) -> HttpResponse:
    """Everything that is held about the player, as a file; that it was asked for is put on record."""
    user = _player_user(request)
    at = timezone.now()
    reason = "asked for by the person"
    note_export(user=user, actor=f"player:{user.player.pk}", reason=reason, at=at)
    answer = JsonResponse(export_person(user, at=at), json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = f'attachment; filename="my-data-{at:%Y-%m-%d}.json"'
    return answer


def _player_user(request: HttpRequest) -> User:
    user = request.user
    if not isinstance(user, User) or not Player.objects.filter(user=user).exists():
        raise Http404("You are logged in, but not as a player.")
    return user


def _page(request: HttpRequest, user: User, form: PasswordChangeForm, *, status: int = 200) -> HttpResponse:
    logins = list(LoginRecord.objects.filter(user=user).order_by("-at", "-pk")[:LATEST_LOGINS])
    here = request.session.session_key
    others = [one for one in logins if one.session_key and one.session_key != here]
    context = {
        "form": form,
        "logins": logins,
        "here": here,
        "others": others,
        "has_second_factor": has_second_factor(user),
        "codes_left": len(recovery_codes(user)),
        "has_password": user.has_usable_password(),
        "last_login_at": last_login_before(user),
    }
    return render(request, "wallets/security.html", context, status=status)
