"""The second factor: of staff, who must, and of players, who may."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from django.urls import get_resolver, reverse

from tests.house import make_house
from tests.web.pages import client_of, code_of, give_second_factor
from wallets.models import LoginRecord, Player, User
from wallets.services.account_mail import mail_reset_link
from wallets.services.logins import has_second_factor, recovery_codes

from .logging_in import BACK_OFFICE, PASSWORD, log_in

pytestmark = pytest.mark.django_db


class TestSecondFactorOfStaff:
    def test_no_page_of_the_back_office_opens_before_it_is_set_up(self, boss: User) -> None:
        client = Client()
        assert log_in(client, boss.email, address=f"{BACK_OFFICE}login/")["Location"] == reverse(
            "staff-second-factor-set-up"
        )
        shut = [
            "",
            "wallets/user/",
            "wallets/transfer/",
            "password_change/",
            "jsi18n/",
            "no/such/page/",
            "people/1/unlock/",
        ]
        for path in shut:
            answer = client.get(f"{BACK_OFFICE}{path}")
            assert (answer.status_code, answer["Location"]) == (302, reverse("staff-second-factor-set-up")), path
            assert client.post(f"{BACK_OFFICE}{path}").status_code == 302
        # The whole of the admin, by its own list of addresses.
        admin_names = {name for name in get_resolver().namespace_dict["admin"][1].reverse_dict if isinstance(name, str)}
        for name in sorted(admin_names - {"logout", "login"}):
            try:
                address = reverse(f"admin:{name}")
            except Exception:
                continue
            assert client.get(address).status_code == 302, name

    def test_it_is_set_up_with_a_code_and_then_everything_opens(self, boss: User) -> None:
        client = Client()
        log_in(client, boss.email, address=f"{BACK_OFFICE}login/")
        set_up = reverse("staff-second-factor-set-up")
        page = client.get(set_up).content.decode()
        secret = re.search(r'id="device-secret">([A-Z2-7]+)<', page)[1]  # type: ignore[index]
        assert "<svg" in page
        for wrong in ("", "000000x", "1234567", "１２３４５６", "a" * 5000):
            assert client.post(set_up, {"code": wrong}).status_code == 200
        assert not has_second_factor(boss)
        assert client.get(BACK_OFFICE).status_code == 302
        # The secret stays the same while the code is being typed.
        assert secret in client.get(set_up).content.decode()
        answer = client.post(set_up, {"code": code_of(secret)})
        assert answer["Location"] == reverse("staff-recovery-codes")
        codes = client.get(answer["Location"]).content.decode()
        assert all(code in codes for code in recovery_codes(boss))
        # Shown once.
        assert client.get(reverse("staff-recovery-codes")).status_code == 302
        assert client.get(BACK_OFFICE).status_code == 200
        assert secret not in repr(list(boss.authenticator_set.values()))

    def test_at_the_next_login_it_is_asked_for_before_anything_opens(self, boss: User) -> None:
        secret = give_second_factor(boss)
        client = Client()
        step = reverse("staff-second-factor")
        assert log_in(client, boss.email, address=f"{BACK_OFFICE}login/")["Location"] == step
        for address in (BACK_OFFICE, reverse("staff-second-factor-set-up"), reverse("staff-recovery-codes")):
            assert client.get(address).status_code == 302
        assert client.post(reverse("staff-second-factor-set-up"), {"code": code_of(secret)}).status_code == 302
        assert client.post(step, {"code": "000000"}).status_code == 200
        assert client.get(BACK_OFFICE).status_code == 302
        assert client.post(step, {"code": code_of(secret)})["Location"] == BACK_OFFICE
        assert client.get(BACK_OFFICE).status_code == 200
        assert LoginRecord.objects.get(user=boss).entrance == "staff"

    def test_the_admins_own_login_is_no_way_around(self, boss: User) -> None:
        give_second_factor(boss)
        client = Client()
        form = {"username": boss.email, "password": PASSWORD, "next": f"{BACK_OFFICE}wallets/user/"}
        for address in (reverse("admin:login"), f"{BACK_OFFICE}login/?next={BACK_OFFICE}", f"{BACK_OFFICE}login/"):
            client.post(address, form)
            assert client.get(BACK_OFFICE).status_code == 302
        # A session that was begun anywhere else with the password alone is none.
        other = Client()
        other.force_login(boss)
        other.cookies["staff_sessionid"] = other.cookies["sessionid"].value
        assert other.get(BACK_OFFICE)["Location"] == reverse("staff-second-factor-set-up")
        assert other.get(reverse("staff-second-factor-set-up"))["Location"] == reverse("staff-login")
        assert other.get(BACK_OFFICE)["Location"].startswith(reverse("staff-login"))

    def test_a_code_serves_once_and_a_recovery_code_too(self, boss: User) -> None:
        secret = give_second_factor(boss)
        code, recovery = code_of(secret), recovery_codes(boss)[0]

        def enter(said: str) -> bool:
            client = Client()
            log_in(client, boss.email, address=f"{BACK_OFFICE}login/")
            return client.post(reverse("staff-second-factor"), {"code": said}).status_code == 302

        assert enter(code)
        assert not enter(code)
        assert enter(recovery)
        assert not enter(recovery)
        assert not enter(code_of(secret, -10))

    def test_wrong_codes_lock_like_wrong_passwords(self, boss: User) -> None:
        secret = give_second_factor(boss)
        client = Client()
        log_in(client, boss.email, address=f"{BACK_OFFICE}login/")
        step = reverse("staff-second-factor")
        answers = [client.post(step, {"code": f"00000{n}"}).status_code for n in range(5)]
        assert answers == [200] * 4 + [429]
        assert client.post(step, {"code": code_of(secret)}).status_code == 429
        assert client.get(BACK_OFFICE).status_code == 302
        assert log_in(Client(), boss.email, address=f"{BACK_OFFICE}login/").status_code == 429

    def test_a_password_stands_for_five_minutes_and_for_an_open_account_only(self, boss: User) -> None:
        secret = give_second_factor(boss)
        client = Client()
        log_in(client, boss.email, address=f"{BACK_OFFICE}login/")
        session = Session.objects.get(session_key=client.cookies["staff_sessionid"].value)
        data = session.get_decoded()
        data["login_waiting"]["at"] -= 301
        session.session_data = Session.objects.encode(data)
        session.save()
        assert client.post(reverse("staff-second-factor"), {"code": code_of(secret)})["Location"] == reverse(
            "staff-login"
        )
        log_in(client, boss.email, address=f"{BACK_OFFICE}login/")
        User.objects.update(is_active=False)
        assert client.post(reverse("staff-second-factor"), {"code": code_of(secret)})["Location"] == reverse(
            "staff-login"
        )
        assert client.get(BACK_OFFICE).status_code == 302

    def test_a_waiting_login_is_worth_nothing_at_the_other_entrance(self, player: Player) -> None:
        secret = give_second_factor(player.user)
        client = Client()
        log_in(client, player.user.email)
        client.cookies["staff_sessionid"] = client.cookies["sessionid"].value
        client.post(reverse("staff-second-factor"), {"code": code_of(secret)})
        assert client.get(BACK_OFFICE).status_code == 302

    def test_the_button_of_the_demonstration_is_refused_everywhere_else(self, boss: User, settings: Any) -> None:
        give_second_factor(boss)
        client = Client()
        log_in(client, boss.email, address=f"{BACK_OFFICE}login/")
        step = reverse("staff-second-factor")
        assert "demonstration" not in client.get(step).content.decode()
        assert client.post(step, {"demonstration": "1"}).status_code == 200
        settings.DEMO_SITE, settings.LOCAL = True, False
        assert client.post(step, {"demonstration": "1"}).status_code == 200
        settings.LOCAL = True
        assert client.post(step, {"demonstration": "1"}, REMOTE_ADDR="198.51.100.7").status_code == 200
        assert client.get(BACK_OFFICE).status_code == 302
        assert 'name="demonstration"' in client.get(step).content.decode()
        assert client.post(step, {"demonstration": "1"})["Location"] == BACK_OFFICE
        assert client.get(BACK_OFFICE).status_code == 200


class TestSecondFactorOfPlayers:
    def test_it_is_set_up_renewed_and_taken_away(self, player: Player) -> None:
        client = client_of(player)
        set_up = reverse("second-factor-set-up")
        page = client.get(set_up).content.decode()
        assert "style=" not in page
        secret = re.search(r'id="device-secret">([A-Z2-7]+)<', page)[1]  # type: ignore[index]
        assert client.post(set_up, {"code": code_of(secret)}).status_code == 200
        assert client.post(set_up, {"code": code_of(secret), "password": "wrong"}).status_code == 200
        assert not has_second_factor(player.user)
        done = client.post(set_up, {"code": code_of(secret), "password": PASSWORD})
        assert done["Location"] == reverse("recovery-codes")
        old = recovery_codes(player.user)
        assert client.get(set_up)["Location"] == reverse("security")
        for form in ({}, {"password": "wrong"}):
            client.post(reverse("recovery-codes-renew"), form)
            assert recovery_codes(player.user) == old
        client.post(reverse("recovery-codes-renew"), {"password": PASSWORD})
        assert not set(old) & set(recovery_codes(player.user))
        for form in ({"password": PASSWORD}, {"code": code_of(secret)}, {"code": "000000", "password": PASSWORD}):
            client.post(reverse("second-factor-remove"), form)
            assert has_second_factor(player.user)
        client.post(reverse("second-factor-remove"), {"code": code_of(secret, 1), "password": PASSWORD})
        assert not has_second_factor(player.user)

    def test_it_is_asked_for_at_the_next_login(self, player: Player) -> None:
        secret = give_second_factor(player.user)
        client = Client()
        assert log_in(client, player.user.email)["Location"] == reverse("second-factor")
        assert client.get(reverse("account")).status_code == 302
        assert client.post(reverse("second-factor"), {"code": f" {code_of(secret)} "})["Location"] == reverse("lobby")
        assert client.get(reverse("account")).status_code == 200

    def test_without_a_login_there_is_nothing_to_ask_for(self) -> None:
        make_house()
        for name in ("second-factor", "second-factor-set-up", "recovery-codes", "security"):
            assert Client().get(reverse(name)).status_code == 302, name
        for name in (
            "second-factor-remove",
            "recovery-codes-renew",
            "change-password",
            "end-other-devices",
            "export-me",
        ):
            assert Client().post(reverse(name)).status_code == 302, name
            assert Client().get(reverse(name)).status_code == 405, name

    def test_a_new_password_alone_does_not_get_past_it(self, player: Player) -> None:
        give_second_factor(player.user)
        client = Client()
        mail_reset_link(user_id=player.user_id, language="en")
        link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith("http"))
        address = client.get(link, follow=True).request["PATH_INFO"]
        client.post(address, {"password1": PASSWORD + "!", "password2": PASSWORD + "!"})
        assert log_in(client, player.user.email, PASSWORD + "!")["Location"] == reverse("second-factor")
        assert client.get(reverse("account")).status_code == 302
