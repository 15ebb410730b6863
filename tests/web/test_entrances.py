"""Two entrances: players log in at one and staff at the other, both in one browser, and neither is let in by mistake."""

import re
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.urls import reverse

from sessions_app.demo.personas import PLAYERS, STAFF
from tests.house import make_house
from wallets.models import Player, User

from .pages import client_of, code_of, give_second_factor, staff_client, token_in

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse 9"
BACK_OFFICE = "/backoffice/"


@pytest.fixture
def player() -> Player:
    player = make_house().player()
    player.user.set_password(PASSWORD)
    player.user.save()
    return player


@pytest.fixture
def staff() -> User:
    return User.objects.create_superuser("boss@test.example", PASSWORD)


def log_in(client: Client, address: str, email: str, password: str = PASSWORD) -> Any:
    return client.post(address, {"username": email, "password": password})


def alike(text: str) -> str:
    """A page without what is another each time."""
    return re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', "", text)


def test_one_browser_is_a_player_and_a_member_of_staff(player: Player, staff: User) -> None:
    client = Client()
    assert log_in(client, "/login/", player.user.email).status_code == 302
    secret = give_second_factor(staff)
    assert log_in(client, f"{BACK_OFFICE}login/", staff.email)["Location"] == f"{BACK_OFFICE}second-factor/"
    assert client.get(BACK_OFFICE).status_code == 302
    assert client.post(f"{BACK_OFFICE}second-factor/", {"code": code_of(secret)})["Location"] == BACK_OFFICE
    assert client.get(reverse("account")).status_code == client.get(BACK_OFFICE).status_code == 200
    assert client.cookies["staff_sessionid"]["path"] == BACK_OFFICE
    assert client.cookies["staff_sessionid"].value != client.cookies["sessionid"].value
    client.post(reverse("logout"))
    assert client.get(reverse("account")).status_code == 302
    assert client.get(BACK_OFFICE).status_code == 200
    client.post(f"{BACK_OFFICE}logout/")
    assert client.get(BACK_OFFICE).status_code == 302


def test_the_cookie_of_one_entrance_opens_nothing_at_the_other(player: Player, staff: User) -> None:
    hers = client_of(player)
    hers.cookies["staff_sessionid"] = hers.cookies["sessionid"].value
    assert hers.get(BACK_OFFICE).status_code == 302
    theirs = staff_client(staff)
    theirs.cookies["sessionid"] = theirs.cookies["staff_sessionid"].value
    assert theirs.get(reverse("account")).status_code == 404
    boss = Client()
    boss.force_login(staff)
    assert boss.get(BACK_OFFICE).status_code == 302


def test_a_right_password_at_the_wrong_entrance_is_answered_like_a_wrong_one(player: Player, staff: User) -> None:
    """By the same words, and by the same lock: one that does not come would say that the password is right."""
    for address, user in (("/login/", staff), (f"{BACK_OFFICE}login/", player.user)):
        answers = []
        for password in (PASSWORD, "wrong"):
            AccessAttempt.objects.all().delete()
            tried = [log_in(Client(), address, user.email, password) for _ in range(6)]
            assert [one.status_code for one in tried] == [200] * 4 + [429] * 2
            answers.append(alike(tried[0].content.decode()))
            assert AccessAttempt.objects.get().failures_since_start == 5
            assert AccessAttempt.objects.get().post_data == ""
        assert answers[0] == answers[1]
        assert "do not belong together" in answers[0]


def test_an_address_is_one_persons_however_it_is_written(player: Player) -> None:
    assert log_in(Client(), "/login/", player.user.email.upper()).status_code == 302
    assert log_in(Client(), "/login/", player.user.email.title()).status_code == 302


def test_becoming_someone_at_one_entrance_makes_no_page_of_the_other_too_old(settings: Any) -> None:
    settings.DEMO_SITE = settings.LOCAL = True
    house = make_house()
    user = house.player().user
    user.email = PLAYERS[0].email
    user.save()
    User.objects.create_user(STAFF[0].email, is_staff=True)
    client = Client(enforce_csrf_checks=True)

    def become(email: str) -> Any:
        token = token_in(client.get(reverse("demo")).content.decode())
        return client.post(reverse("demo"), {"email": email, "csrfmiddlewaretoken": token})

    assert become(PLAYERS[0].email)["Location"] == reverse("lobby")
    open_page = client.get(reverse("play", args=[house.table.slug])).content.decode()
    assert become(STAFF[0].email)["Location"] == BACK_OFFICE
    assert client.get(BACK_OFFICE).status_code == 200
    entered = client.post(reverse("enter", args=[house.table.slug]), {"csrfmiddlewaretoken": token_in(open_page)})
    assert entered["Location"] == reverse("play", args=[house.table.slug])
