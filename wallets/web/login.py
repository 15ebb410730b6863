"""The two entrances, players' and staff's: e-mail and password, and then a second factor where there is one."""

from typing import Any

from allauth.account.forms import ResetPasswordForm
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import login as start_login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from roulette_site.common.later import after_commit
from wallets.models import OfferOccasion, Player, User
from wallets.selectors.limits_offers import is_offer_due
from wallets.services.logins import has_second_factor
from wallets.web.presence import WAS_IDLE
from wallets.web.register import send_verification
from wallets.web.second_factor import has_shown_second_factor, wait_for_second_factor


class EntranceForm(AuthenticationForm):
    """E-mail and password of somebody who comes in by this entrance.

    A right password at the wrong entrance is answered, and counted towards the lock, like a wrong one: the answer, its
    time or a lock that does not come would say that it is right.
    """

    def confirm_login_allowed(self, user: User) -> None:
        """Refuse whoever belongs to the other entrance, or to none."""
        if user.is_active and self.is_mine(user):
            return
        # As django.contrib.auth.authenticate tells of a wrong password.
        said = {"username": self.cleaned_data["username"], "password": "*" * 20}
        user_login_failed.send(sender=__name__, credentials=said, request=self.request)
        raise self.get_invalid_login_error()

    def is_mine(self, user: User) -> bool:
        """Whether this is the user's entrance."""
        raise NotImplementedError


class PlayerLoginForm(EntranceForm):
    """E-mail and password of a player; members of staff have an entrance of their own."""

    error_messages = {
        "invalid_login": _("E-mail and password do not belong together, or are not those of a player."),
    }

    def is_mine(self, user: User) -> bool:
        """Whether there is a wallet to play from."""
        return Player.objects.filter(user_id=user.pk).exists()


class StaffLoginForm(EntranceForm, AdminAuthenticationForm):
    """E-mail and password of a member of staff; a player learns nothing here that a stranger would not."""

    error_messages = {
        **AdminAuthenticationForm.error_messages,
        "invalid_login": _("E-mail and password do not belong together, or are not those of a member of staff."),
    }

    def is_mine(self, user: User) -> bool:
        """Whether the user is of the staff."""
        return user.is_staff


class ForgottenPasswordForm(ResetPasswordForm):  # type: ignore[misc]
    """Asks for a new password; what is done for an address does not depend on whether it has an account."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Let a worker mail the link: here it would take longer for an address that is known."""
        user_id = self.users[0].pk if self.users else 0
        after_commit("wallets.tasks.mail_reset_link", "background", user_id=user_id, language=get_language() or "")
        return str(self.cleaned_data["email"])


class PlayerLoginView(LoginView):
    """The players' entrance."""

    authentication_form = PlayerLoginForm
    redirect_authenticated_user = True

    def get_default_redirect_url(self) -> str:
        """To the tables; for who has just registered by way of the limits that he is offered."""
        player = getattr(getattr(self, "user", None), "player", None)
        if isinstance(player, Player) and is_offer_due(player, OfferOccasion.REGISTRATION):
            return reverse("limits-offer", args=["registration"])
        return super().get_default_redirect_url()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say why, where somebody was logged out for having been away."""
        return super().get_context_data(**kwargs, was_idle=self.request.session.get(WAS_IDLE, False))

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Let in who has a verified address and shows the second factor that he has set up."""
        self.user = user = form.get_user()
        if not EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True).exists():
            send_verification(self.request, user)
            return redirect("registered")
        if has_second_factor(user):
            return wait_for_second_factor(self.request, user, next_url=self.get_success_url())
        return super().form_valid(form)


class StaffLoginView(LoginView):
    """The staff's entrance: who has no second factor yet is led to set one up, and reaches nothing else before."""

    authentication_form = StaffLoginForm
    template_name = "wallets/staff/login.html"
    next_page = "admin:index"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Pass on who is in already."""
        if has_shown_second_factor(request) and request.user.is_staff and request.method == "GET":
            return redirect("admin:index")
        answer = super().dispatch(request, *args, **kwargs)
        assert isinstance(answer, HttpResponse)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """What the pages of the admin are given."""
        was_idle = self.request.session.get(WAS_IDLE, False)
        site = {**admin.site.each_context(self.request), "is_nav_sidebar_enabled": False}
        return super().get_context_data(
            **{**site, "title": _("Log in"), "was_idle": was_idle, "app_path": reverse("staff-login"), **kwargs}
        )

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Ask for the second factor, or for one to be set up."""
        user = form.get_user()
        if has_second_factor(user):
            return wait_for_second_factor(self.request, user, next_url=self.get_success_url())
        start_login(self.request, user)
        return redirect("staff-second-factor-set-up")


login = PlayerLoginView.as_view()
staff_login = StaffLoginView.as_view()
