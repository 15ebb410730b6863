"""Keys of other systems: how one is made, what ends it, and that nothing else opens the API."""

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from wallets.models import ApiKey

pytestmark = pytest.mark.django_db


def make(*arguments: str) -> str:
    out = StringIO()
    call_command("create_api_key", "Terminal 7", "--scope", "read", *arguments, stdout=out)
    return out.getvalue().strip()


def status(key: str) -> int:
    return Client().get("/api/v1/tables", headers={"Authorization": f"Api-Key {key}"}).status_code


def test_a_key_opens_the_api_until_it_is_revoked() -> None:
    key, other = make(), make()
    assert (status(key), status(other)) == (200, 200)
    for _ in range(2):
        out = StringIO()
        call_command("revoke_api_key", key[:8], stdout=out)
        assert out.getvalue() == f"Terminal 7 ({key[:8]}) is revoked.\n"
    assert (status(key), status(other)) == (401, 200)


def test_a_key_can_end_by_itself() -> None:
    key = make("--days", "90")
    made = ApiKey.objects.get(prefix=key[:8])
    assert made.expiry_date is not None
    assert abs(made.expiry_date - timezone.now() - dt.timedelta(days=90)) < dt.timedelta(minutes=1)
    assert status(key) == 200
    made.expiry_date = timezone.now() - dt.timedelta(seconds=1)
    made.save()
    assert status(key) == 401


@pytest.mark.parametrize("arguments", [["--days", "0"], ["--days", "-1"], ["--days", "99999999"]])
def test_a_time_that_makes_no_sense_is_refused(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="1 to 3650 days"):
        make(*arguments)
    assert not ApiKey.objects.exists()


def test_what_is_no_key_is_neither_revoked_nor_let_in() -> None:
    with pytest.raises(CommandError, match="no key 'nobodys'"):
        call_command("revoke_api_key", "nobodys")
    for name in ("", "x" * 51):
        with pytest.raises(CommandError, match="1 to 50 characters"):
            call_command("create_api_key", name, "--scope", "read")
    assert status("nobodys.key") == 401
