"""Where django-allauth is told how this house does things."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest
from django.utils import timezone

from roulette_site.common.audit import audited
from roulette_site.common.models import Operator
from roulette_site.common.requests import client_address
from wallets.models import User
from wallets.sealing import seal, unseal
from wallets.services.logins import note_address_verified, set_password


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

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Note that the address is verified, and put it on record."""
        with audited():
            is_confirmed: bool = super().confirm_email(request, email_address)
            if is_confirmed:
                note_address_verified(user=email_address.user, at=timezone.now())
        return is_confirmed

    def set_password(self, user: User, password: str) -> None:
        """Give a user the password that he has chosen under the link that was mailed to him."""
        set_password(user=user, password=password, at=timezone.now())


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
