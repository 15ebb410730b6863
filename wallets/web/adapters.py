"""Where django-allauth is told how this house does things."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest
from django.urls import reverse

from roulette_site.common.models import Operator
from roulette_site.common.requests import client_address
from wallets.sealing import seal, unseal


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Mails in the operator's name; accounts are opened by our own page alone."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """No: registering asks for more (wallets/web/register.py)."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that rates are counted by."""
        return client_address(request) or ""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail that says whose it is."""
        super().send_mail(template_prefix, email, {"operator": Operator.objects.first(), **context})

    def send_account_already_exists_mail(self, email: str) -> None:
        """Tell the owner of an address that somebody tried to register with it."""
        request = context.request
        links = {
            "login_url": request.build_absolute_uri(reverse("login")),
            "password_reset_url": request.build_absolute_uri(reverse("account_reset_password")),
        }
        self.send_mail("account/email/account_already_exists", email, links)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets are encrypted: who reads the database must not be able to make codes."""

    def get_totp_issuer(self) -> str:
        """Return the name under which the player's device lists the code."""
        operator = Operator.objects.first()
        return operator.brand if operator else "Roulette"

    def encrypt(self, text: str) -> str:
        """Seal a secret."""
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Read a sealed secret."""
        return unseal(encrypted_text)
