"""One device, being away, and where a request comes from."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from roulette_site.common.requests import client_address
from tests.house import make_house
from tests.web.pages import client_of, give_second_factor, staff_client
from wallets.models import LoginRecord, PersonAct, Player, User

from .logging_in import BACK_OFFICE, PASSWORD, age_session, log_in

pytestmark = pytest.mark.django_db


class TestDevicesAndBeingAway:
    def test_a_login_ends_those_on_other_devices_of_that_player_alone(self, player: Player) -> None:
        other = client_of(make_house().player(handle="joao"))
        first, second = Client(), Client()
        log_in(first, player.user.email)
        log_in(second, player.user.email)
        assert first.get(reverse("account")).status_code == 302
        assert second.get(reverse("account")).status_code == other.get(reverse("account")).status_code == 200
        assert [bool(one.session_key) for one in LoginRecord.objects.filter(user=player.user).order_by("pk")] == [
            False, True,
        ]  # fmt: skip

    def test_a_session_is_found_and_ended_also_after_a_new_password(self, player: Player) -> None:
        first = Client()
        log_in(first, player.user.email)
        changed = first.post(reverse("change-password"), {"old_password": PASSWORD, "new_password": PASSWORD + "!"})
        assert changed["Location"] == reverse("security")
        assert first.get(reverse("security")).status_code == 200
        log_in(Client(), player.user.email, PASSWORD + "!")
        assert first.get(reverse("account")).status_code == 302

    def test_a_stolen_session_does_not_change_the_password(self, player: Player) -> None:
        client = client_of(player)
        for form in (
            {}, {"old_password": "wrong", "new_password": PASSWORD + "!"}, {"old_password": PASSWORD, "new_password": "a"},
        ):  # fmt: skip
            assert client.post(reverse("change-password"), form).status_code == 422
        assert User.objects.get(pk=player.user_id).check_password(PASSWORD)
        answers = [
            client.post(reverse("change-password"), {"old_password": f"wrong {n}", "new_password": "x"}).status_code
            for n in range(4)
        ]
        assert answers == [422] * 3 + [429]

    def test_who_was_away_for_half_an_hour_logs_in_again(self, player: Player) -> None:
        client = Client()
        log_in(client, player.user.email)
        age_session(client, 29)
        assert client.get(reverse("account")).status_code == 200
        age_session(client, 29)
        assert client.get(reverse("account")).status_code == 200
        age_session(client, 30)
        assert client.get(reverse("account"))["Location"].startswith(reverse("login"))
        assert "You were away" in client.get(reverse("login")).content.decode()
        assert LoginRecord.objects.get().ended_at is not None
        assert log_in(client, player.user.email).status_code == 302
        assert client.get(reverse("account")).status_code == 200

    def test_a_page_that_refreshes_itself_keeps_nobody_in(self) -> None:
        maria = make_house().seated()
        client = client_of(maria.game_session.player)
        state = reverse("state", args=[maria.house.table.slug])
        age_session(client, 29)
        assert client.get(state).status_code == 200
        age_session(client, 1)
        assert client.get(state).status_code == 302
        assert client.get(reverse("account")).status_code == 302

    def test_staff_who_were_away_log_in_again_with_both_factors(self, boss: User) -> None:
        give_second_factor(boss)
        client = staff_client(boss)
        assert client.get(BACK_OFFICE).status_code == 200
        age_session(client, 30, "staff_sessionid")
        assert client.get(BACK_OFFICE).status_code == 302
        assert log_in(client, boss.email, address=f"{BACK_OFFICE}login/")["Location"] == reverse("staff-second-factor")

    def test_the_security_page_shows_logins_and_ends_others(self, player: Player) -> None:
        client = Client(HTTP_USER_AGENT="Browser <b>1</b>")
        log_in(client, player.user.email)
        client.post(reverse("logout"))
        log_in(client, player.user.email)
        page = client.get(reverse("security")).content.decode()
        assert "Your login before this one" in page
        assert "Browser &lt;b&gt;1" in page
        assert page.count("127.0.0.1") == 2
        assert "Your login before this one" in client.get(reverse("account")).content.decode()
        assert client.cookies["sessionid"].value not in page
        assert client.post(reverse("end-other-devices"))["Location"] == reverse("security")
        assert client.get(reverse("security")).status_code == 200

    def test_a_player_downloads_what_is_held_about_him(self, player: Player) -> None:
        answer = client_of(player).post(reverse("export-me"))
        assert answer["Content-Disposition"].startswith('attachment; filename="my-data-')
        assert answer.json()["user"]["email"] == player.user.email
        assert PersonAct.objects.get().kind == "exported"

    def test_staff_have_no_page_of_a_player(self, boss: User) -> None:
        make_house()
        client = Client()
        client.force_login(boss)
        assert client.get(reverse("security")).status_code == 404
        assert client.post(reverse("export-me")).status_code == 404


@pytest.mark.parametrize(
    ("behind_proxy", "forwarded", "expected"),
    [
        (False, "", "127.0.0.1"),
        (False, "198.51.100.7", "127.0.0.1"),
        (True, "198.51.100.7", "198.51.100.7"),
        # Whatever the caller says himself stands before what the proxy has written.
        (True, "203.0.113.1, 198.51.100.7", "198.51.100.7"),
        (True, "not an address", None),
        (True, "", "127.0.0.1"),
    ],
)
def test_the_address_of_a_request(
    rf: Any, settings: Any, behind_proxy: bool, forwarded: str, expected: str | None
) -> None:
    settings.BEHIND_TLS_PROXY = behind_proxy
    extra = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}
    assert client_address(rf.get("/", **extra)) == expected


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
def test_of_eight_logins_at_once_one_session_is_left(player: Player) -> None:
    browsers = [Client() for _ in range(8)]
    start = threading.Barrier(len(browsers))

    def act(browser: Client) -> None:
        try:
            start.wait()
            log_in(browser, player.user.email)
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert LoginRecord.objects.count() == 8
    assert LoginRecord.objects.exclude(session_key="").count() == 1
    assert sorted(browser.get(reverse("account")).status_code for browser in browsers) == [200] + [302] * 7
