"""Mails about an account, sent by workers: no page waits for a mail server, or tells by its time who is known.

None is tried again: whoever gets none asks anew, by logging in or by having forgotten his password. Each function
raises OSError where the mail server does not answer, and returns whether there was anybody to write to.
"""

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, get_emailconfirmation_model
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from roulette_site.common.models import Operator
from wallets.models import User


def mail_reset_link(*, user_id: int, language: str) -> bool:
    """Mail a user the link under which a new password is set, in the language in which he asked for it."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return False
    key = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    link = _address("account_reset_password_from_key", **key)
    _mail("password_reset_key", to=user.email, language=language, password_reset_url=link)
    return True


def mail_verification(*, user_id: int, language: str) -> bool:
    """Mail a user the link by which he shows that the address is his."""
    address = EmailAddress.objects.filter(user_id=user_id, user__is_active=True, primary=True, verified=False).first()
    if address is None:
        return False
    key = get_emailconfirmation_model().create(address).key
    _mail(
        "email_confirmation_signup",
        to=address.email,
        language=language,
        activate_url=_address("account_confirm_email", key=key),
    )
    return True


def mail_account_exists(*, user_id: int, language: str) -> bool:
    """Tell the owner of an address that somebody has tried to register with it."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return False
    _mail(
        "account_already_exists",
        to=user.email,
        language=language,
        login_url=_address("login"),
        password_reset_url=_address("account_reset_password"),
    )
    return True


def _address(name: str, **arguments: str) -> str:
    return f"{settings.SITE_URL}{reverse(name, kwargs=arguments)}"


def _mail(template: str, *, to: str, language: str, **links: str) -> None:
    known = language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(known):
        context = {"operator": Operator.objects.first(), **links}
        subject = render_to_string(f"account/email/{template}_subject.txt", context).strip()
        body = render_to_string(f"account/email/{template}_message.txt", context).strip()
    EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [to]).send()
