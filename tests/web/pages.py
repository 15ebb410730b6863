"""What tests of pages share: clients of players, and forms as the pages send them."""

import itertools
import time
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, generate_totp_secret, hotp_value
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.house import PlayerAtTable
from wallets.models import Player, User
from wallets.services.logins import set_up_second_factor

_keys = itertools.count(1)


def client_of(player: Player) -> Client:
    """A browser in which the player has logged in."""
    client = Client()
    client.force_login(player.user)
    return client


def staff_client(user: User) -> Client:
    """A browser in which a member of staff has logged in at the back-office, with the second factor."""
    client = Client()
    client.force_login(user)
    session = client.session
    session["second_factor_shown"] = user.pk
    session.save()
    client.cookies[settings.STAFF_SESSION_COOKIE_NAME] = client.cookies.pop(settings.SESSION_COOKIE_NAME).value
    return client


def give_second_factor(user: User) -> str:
    """Set up a second factor; returns the secret of the device."""
    secret = generate_totp_secret()
    set_up_second_factor(user=user, secret=secret, at=timezone.now())
    return secret


def code_of(secret: str, steps: int = 0) -> str:
    """What a device with that secret shows now, or some half minutes from now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def key() -> dict[str, str]:
    """A fresh key, as the field of a form."""
    return {"key": f"0000-{next(_keys):04d}-test"}


def htmx(client: Client, name: str, player: PlayerAtTable, **fields: str) -> Any:
    """Post a form of the play page as its script does."""
    address = reverse(name, args=[player.house.table.slug])
    return client.post(address, fields, headers={"HX-Request": "true"})


def form_of(page: str, form_id: str) -> dict[str, str]:
    """The hidden fields of a form in a page."""
    form = page.split(f'id="{form_id}"')[1].split("</form>")[0]
    fields = {}
    for tag in form.split("<input")[1:]:
        tag = tag.split(">")[0]
        if 'name="' in tag and 'value="' in tag:
            fields[tag.split('name="')[1].split('"')[0]] = tag.split('value="')[1].split('"')[0]
    return {name: value for name, value in fields.items() if name != "csrfmiddlewaretoken"}


def token_in(page: str) -> str:
    """The token that a form of the page is sent with."""
    return page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
