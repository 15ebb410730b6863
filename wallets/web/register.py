"""Registering as a player. Whether an address has an account already is told to its owner alone, by mail."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from zoneinfo import available_timezones

from allauth.account.internal.flows.email_verification import consume_email_verification_rate_limit
from allauth.core import ratelimit
from django import forms
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from roulette_site.common import demonstration
from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from wallets.models import ConsentTo, User
from wallets.personal import COUNTRIES, LANGUAGES, check_birth_date, check_full_name
from wallets.selectors.people import operator_day
from wallets.services.people import EmailTaken, address_to_verify, check_email, check_password, register_player
from wallets.templatetags.money import message_of

# What is longer is cut by nobody: the rules say how long each may be.
_ANY_LENGTH = 10_000
_NO_PLACES = ("Etc/", "SystemV/", "US/")


def _time_zones() -> list[tuple[str, str]]:
    places = (name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES))
    return [(name, name.replace("_", " ")) for name in sorted(places)] + [("UTC", "UTC")]


class RegistrationForm(forms.Form):
    """All that registering asks for; every fault is shown at once, beside its field."""

    email = forms.CharField(max_length=_ANY_LENGTH, label=_("E-mail"))
    password = forms.CharField(max_length=128, strip=False, label=_("Password"))
    # Nothing is stripped: what turns the direction of writing would be hidden by it.
    full_name = forms.CharField(max_length=_ANY_LENGTH, strip=False, label=_("Full name"))
    birth_date = forms.DateField(
        label=_("Birth date"),
        input_formats=["%Y-%m-%d"],
        error_messages={"invalid": _("There is no such day: please write it as 1990-12-31.")},
    )
    country = forms.ChoiceField(label=_("Country"))
    language = forms.ChoiceField(label=_("Language"), choices=tuple(LANGUAGES.items()))
    time_zone = forms.ChoiceField(label=_("Time zone"))
    terms = forms.BooleanField(error_messages={"required": _("Without the terms there is no account.")})
    privacy = forms.BooleanField(error_messages={"required": _("Please read the privacy notice and agree to it.")})

    def __init__(self, *args: Any, at: dt.datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at = at
        choice = {"country": [("", "—"), *COUNTRIES.items()], "time_zone": _time_zones()}
        for name, choices in choice.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices

    def clean_full_name(self) -> str:
        """Refuse what is no name."""
        return str(_asked(lambda: check_full_name(self.cleaned_data["full_name"])))

    def clean_email(self) -> str:
        """Refuse what is no address."""
        return str(_asked(lambda: check_email(self.cleaned_data["email"])))

    def clean_birth_date(self) -> dt.date:
        """Refuse minors by the day at the operator's place."""
        birth_date: dt.date = self.cleaned_data["birth_date"]
        _asked(lambda: check_birth_date(birth_date, today=operator_day(self.at)))
        return birth_date

    def clean(self) -> dict[str, Any]:
        """Refuse a password that is easy to guess, also from name and address."""
        data = super().clean() or {}
        if "password" in data:
            someone = User(email=data.get("email", ""), full_name=data.get("full_name", ""))
            try:
                check_password(data["password"], someone)
            except RuleBroken as refused:
                self.add_error("password", refused.details["faults"])
        return data


def _asked(rule: Callable[[], Any]) -> Any:
    try:
        return rule()
    except RuleBroken as refused:
        raise ValidationError(message_of(refused), code=refused.code) from None


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters("password")
def register(request: HttpRequest) -> HttpResponse:
    """Show the form; POST registers a player and says the same to everybody: look into your mail."""
    if request.user.is_authenticated:
        return redirect("lobby")
    at = timezone.now()
    data = request.POST if request.method == "POST" else None
    form = RegistrationForm(data, at=at, initial={"language": "en", "time_zone": "Europe/Lisbon"})
    if request.method == "POST" and form.is_valid():
        too_often: HttpResponse | None = ratelimit.consume_or_429(request, action="signup")
        if too_often is not None:
            return too_often
        _register(request, form.cleaned_data, at=at)
        return redirect("registered")
    return render(request, "wallets/register.html", {"form": form})


def _register(request: HttpRequest, data: dict[str, Any], *, at: dt.datetime) -> None:
    wanted = ("email", "password", "full_name", "birth_date", "country", "language", "time_zone")
    try:
        player = register_player(
            **{name: data[name] for name in wanted},
            consents={str(text): settings.CONSENT_VERSIONS[text] for text in ConsentTo},
            at=at,
        )
    except EmailTaken:
        # The answer takes as long as it does for a new address.
        make_password(data["password"])
        owner = User.objects.filter(email__iexact=data["email"]).first()
        if owner is not None and consume_email_verification_rate_limit(request, data["email"]):
            _mail_later("mail_account_exists", owner)
    else:
        send_verification(request, player.user)


def send_verification(request: HttpRequest, user: User) -> None:
    """Let a worker mail by what a user shows that the address is his; seldom, however often it is asked for."""
    address = address_to_verify(user=user, at=timezone.now())
    if not address.verified and consume_email_verification_rate_limit(request, user.email):
        _mail_later("mail_verification", user)


def _mail_later(task: str, user: User) -> None:
    after_commit(f"wallets.tasks.{task}", "background", user_id=user.pk, language=get_language() or "")


@require_safe
@never_cache
def registered(request: HttpRequest) -> HttpResponse:
    """What comes next, said to everybody alike."""
    return render(request, "wallets/registered.html", {"demonstration": demonstration.is_open(request)})


@require_safe
def consent_text(request: HttpRequest, text: str) -> HttpResponse:
    """What is agreed to, with its version."""
    if text not in ConsentTo.values:
        raise Http404("There is no such text.")
    version = settings.CONSENT_VERSIONS[text]
    return render(
        request, f"wallets/{text}.html", {"version": version, "retention_years": settings.RETENTION_DAYS // 365}
    )
