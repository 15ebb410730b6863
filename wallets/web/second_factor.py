"""The second factor, at both entrances: asked for after the password, set up, renewed and taken away.

A login that waits for its code stands in the session as an id and an instant, and opens nothing.
"""

import datetime as dt
from typing import Any, TypedDict

from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal.auth import generate_totp_secret, validate_totp_code
from axes.handlers.proxy import AxesProxyHandler
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import authenticate, login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from roulette_site.common import demonstration
from roulette_site.common.errors import RuleBroken
from wallets.models import User
from wallets.services.logins import (
    check_code,
    has_second_factor,
    recovery_codes,
    remove_second_factor,
    renew_recovery_codes,
    set_up_second_factor,
)
from wallets.templatetags.money import message_of

BACKEND = "django.contrib.auth.backends.ModelBackend"
LONGEST_CODE = 32
_WAITING = "login_waiting"
_SHOWN = "second_factor_shown"
_NEW_SECRET = "second_factor_new_secret"  # noqa: S105
_SHOW_CODES = "second_factor_show_codes"


class Waiting(TypedDict):
    """A login whose password was right."""

    user: int
    at: float
    next: str


class CodeForm(forms.Form):
    """The code of a device, or a recovery code."""

    code = forms.CharField(max_length=LONGEST_CODE, label=gettext_lazy("Code"))


class PasswordForm(forms.Form):
    """One's own password once more, before what protects the account is changed; failures count as failed logins."""

    password = forms.CharField(
        max_length=128, strip=False, widget=forms.PasswordInput, label=gettext_lazy("Your password")
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        if not _asks_for_password(request):
            del self.fields["password"]

    def clean_password(self) -> str:
        """Refuse a wrong password."""
        password: str = self.cleaned_data["password"]
        check_own_password(self.request, password)
        return password


class NewDeviceForm(CodeForm, PasswordForm):
    """The first code of a device, and the password."""

    field_order = ("code", "password")

    def clean_code(self) -> str:
        """Refuse a code that does not belong to the secret that is shown."""
        code: str = "".join(self.cleaned_data["code"].split())
        secret = self.request.session.get(_NEW_SECRET, "")
        if not secret or not code.isascii() or not validate_totp_code(secret, code):
            raise ValidationError(_("This code is not right. Is the clock of your device?"), code="code_refused")
        return code


class RemovalForm(CodeForm, PasswordForm):
    """A code of the device that is taken away, and the password."""

    field_order: tuple[str, ...] = ("code", "password")

    def clean(self) -> dict[str, Any]:
        """Refuse a wrong code; it is looked at last, since that uses it up."""
        data = super().clean() or {}
        if (
            not self.errors
            and "code" in self.fields
            and not check_code(_user(self.request), data["code"], at=timezone.now())
        ):
            count_failure(self.request, _user(self.request))
            self.add_error("code", _("This code is not right."))
        return data


class OwnerForm(RemovalForm):
    """What shows once more that it is the owner: the password, and a code where there is a second factor."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        if not has_second_factor(_user(request)):
            del self.fields["code"]


def check_own_password(request: HttpRequest, password: str) -> None:
    """Check the password of whoever is logged in; a wrong one counts as a failed login. Raises ValidationError."""
    user = _user(request)
    if not AxesProxyHandler.is_allowed(request, {"username": user.email}):
        # Locked: then even the right password opens nothing, and the answer becomes the one that says so.
        count_failure(request, user)
        raise ValidationError(_("This is not your password."), code="password_wrong")
    if authenticate(request, username=user.email, password=password) != user:
        raise ValidationError(_("This is not your password."), code="password_wrong")


def count_failure(request: HttpRequest, user: User) -> None:
    """Count a wrong code as a failed login of the account."""
    user_login_failed.send(sender=__name__, credentials={"username": user.email}, request=request)


def wait_for_second_factor(request: HttpRequest, user: User, *, next_url: str) -> HttpResponse:
    """Remember that the password was right, and ask for the code."""
    request.session.cycle_key()
    waiting: Waiting = {"user": user.pk, "at": timezone.now().timestamp(), "next": next_url}
    request.session[_WAITING] = waiting
    return redirect("staff-second-factor" if _is_staff_entrance(request) else "second-factor")


def mark_second_factor(request: HttpRequest, user: User) -> None:
    """Note in the session that the second factor was shown, or stands open in the demonstration."""
    request.session[_SHOWN] = user.pk


def has_shown_second_factor(request: HttpRequest) -> bool:
    """Whether whoever is logged in has shown a second factor in this session."""
    return request.user.is_authenticated and request.session.get(_SHOWN) == request.user.pk


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters("code")
def second_factor(request: HttpRequest) -> HttpResponse:
    """Ask for the code of a login that waits, and let in who has it."""
    user = _waiting_user(request, at=timezone.now())
    if user is None:
        messages.warning(request, _("Please log in again: too much time has gone by."))
        return redirect("staff-login" if _is_staff_entrance(request) else "login")
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if demonstration.is_open(request) and "demonstration" in request.POST:
            return _let_in(request, user)
        if form.is_valid():
            if AxesProxyHandler.is_allowed(request, {"username": user.email}) and check_code(
                user, form.cleaned_data["code"], at=timezone.now()
            ):
                return _let_in(request, user)
            # Also where the account is locked: then this turns the answer into the one that says so.
            count_failure(request, user)
            form.add_error("code", _("This code is not right."))
    return _show(request, "second_factor", {"form": form, "title": _("Second factor")}, bare=True)


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters("code", "password")
@login_required
def set_up(request: HttpRequest) -> HttpResponse:
    """Show the secret for the user's device, and store it once the device has given a code of it."""
    user = _user(request)
    if has_second_factor(user):
        # A session that has not shown it may not replace it.
        return redirect(_home(request)) if has_shown_second_factor(request) else _leave(request)
    if request.method == "POST" and demonstration.is_open(request) and "demonstration" in request.POST:
        mark_second_factor(request, user)
        return redirect(_home(request))
    form = NewDeviceForm(request, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            set_up_second_factor(user=user, secret=request.session.pop(_NEW_SECRET), at=timezone.now())
        except RuleBroken as refused:
            messages.error(request, message_of(refused))
            return redirect(_home(request))
        mark_second_factor(request, user)
        request.session[_SHOW_CODES] = True
        return redirect("staff-recovery-codes" if _is_staff_entrance(request) else "recovery-codes")
    secret = request.session.setdefault(_NEW_SECRET, generate_totp_secret())
    device = get_adapter()
    drawing = device.build_totp_svg(device.build_totp_url(user, secret))
    # Made by the library from our own text; without the XML declaration it is a part of the page.
    svg = mark_safe(drawing[drawing.index("<svg") :])  # noqa: S308
    context = {"form": form, "secret": secret, "svg": svg, "title": _("Set up a second factor")}
    return _show(request, "second_factor_set_up", context)


@require_http_methods(["GET"])
@never_cache
@login_required
def show_recovery_codes(request: HttpRequest) -> HttpResponse:
    """Show the codes once, right after they were made."""
    if not request.session.pop(_SHOW_CODES, False):
        return redirect(_home(request))
    context = {"codes": recovery_codes(_user(request)), "home": _home(request), "title": _("Recovery codes")}
    return _show(request, "recovery_codes", context)


@require_POST
@never_cache
@sensitive_post_parameters("password")
@login_required
def renew_codes(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes, of which the old ones die."""
    form = PasswordForm(request, request.POST)
    if not form.is_valid():
        return _refuse(request, form)
    try:
        renew_recovery_codes(user=_user(request), at=timezone.now())
    except RuleBroken as refused:
        messages.error(request, message_of(refused))
        return redirect(_home(request))
    request.session[_SHOW_CODES] = True
    return redirect("recovery-codes")


@require_POST
@never_cache
@sensitive_post_parameters("code", "password")
@login_required
def remove(request: HttpRequest) -> HttpResponse:
    """Take a player's second factor away; the staff's stays."""
    user = _user(request)
    if _is_staff_entrance(request) or user.is_staff:
        raise Http404("The second factor of staff stays.")
    form = RemovalForm(request, request.POST)
    if not form.is_valid():
        return _refuse(request, form)
    try:
        remove_second_factor(user=user, at=timezone.now())
    except RuleBroken as refused:
        messages.error(request, message_of(refused))
    else:
        messages.success(request, _("Your second factor is off."))
    return redirect(_home(request))


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the view asks for a login"
    return request.user


def _asks_for_password(request: HttpRequest) -> bool:
    """Staff have typed theirs a moment ago; personas of the demonstration have none."""
    return not _is_staff_entrance(request) and _user(request).has_usable_password()


def _is_staff_entrance(request: HttpRequest) -> bool:
    return bool(getattr(request, "is_staff_entrance", False))


def _home(request: HttpRequest) -> str:
    return "admin:index" if _is_staff_entrance(request) else "security"


def _leave(request: HttpRequest) -> HttpResponse:
    request.session.flush()
    return redirect("staff-login" if _is_staff_entrance(request) else "login")


def _refuse(request: HttpRequest, form: forms.Form) -> HttpResponse:
    for errors in form.errors.values():
        for error in errors:
            messages.error(request, str(error))
    return redirect(_home(request))


def _waiting_user(request: HttpRequest, *, at: dt.datetime) -> User | None:
    waiting: Waiting | None = request.session.get(_WAITING)
    if waiting is None or not 0 <= at.timestamp() - waiting["at"] < settings.SECOND_FACTOR_SECONDS:
        request.session.pop(_WAITING, None)
        return None
    return User.objects.filter(pk=waiting["user"], is_active=True).first()


def _let_in(request: HttpRequest, user: User) -> HttpResponse:
    waiting: Waiting = request.session.pop(_WAITING)
    login(request, user, backend=BACKEND)
    mark_second_factor(request, user)
    wanted = waiting["next"]
    if url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        return redirect(wanted)
    return redirect("admin:index" if _is_staff_entrance(request) else settings.LOGIN_REDIRECT_URL)


def _show(request: HttpRequest, name: str, context: dict[str, Any], *, bare: bool = False) -> HttpResponse:
    context["demonstration"] = demonstration.is_open(request)
    if _is_staff_entrance(request):
        site = admin.site.each_context(request)
        # Before the second factor no page of the back-office opens, so none is offered.
        offered = {"is_nav_sidebar_enabled": False, "available_apps": [], "has_permission": False}
        return render(request, f"wallets/staff/{name}.html", {**site, **offered, **context})
    return render(request, f"wallets/{name}.html", context)
