"""The players' entrance."""

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from wallets.models import Player, User


class PlayerLoginForm(AuthenticationForm):
    """E-mail and password of a player; members of staff have an entrance of their own."""

    error_messages = {
        "invalid_login": _("E-mail and password do not belong together."),
        "inactive": _("This account is closed."),
        "not_a_player": _("Players log in here. Staff log in at the back-office."),
    }

    def confirm_login_allowed(self, user: User) -> None:
        """Refuse who has no wallet to play from."""
        super().confirm_login_allowed(user)
        if not Player.objects.filter(user_id=user.pk).exists():
            raise ValidationError(self.error_messages["not_a_player"], code="not_a_player")


login = LoginView.as_view(authentication_form=PlayerLoginForm, redirect_authenticated_user=True)
