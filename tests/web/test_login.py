"""Logging in: one message, a lock, a second factor, one device, and being away."""

import datetime as dt
import re
import threading
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Group
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import get_resolver, reverse

from roulette_site.common.errors import RuleBroken
from roulette_site.common.requests import client_address
from tests.house import NOON, make_house
from wallets.models import LoginRecord, PersonAct, Player, User
from wallets.services.account_mail import mail_reset_link
from wallets.services.logins import has_second_factor, recovery_codes, unlock_login

from .pages import client_of, code_of, give_second_factor, staff_client

pytestmark = pytest.mark.django_db
PASSWORD = "a long and odd sentence 17"
BACK_OFFICE = "/backoffice/"


@pytest.fixture
def player() -> Player:
    player = make_house().player(handle="maria")
    player.user.set_password(PASSWORD)
    player.user.save()
    return player


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss@test.example", PASSWORD)


def log_in(client: Client, email: str, password: str = PASSWORD, address: str = "/login/") -> Any:
    return client.post(address, {"username": email, "password": password})


def fail(times: int, email: str, address: str = "/login/", **extra: str) -> list[int]:
    return [
        Client().post(address, {"username": email, "password": f"wrong {n}"}, **extra).status_code for n in range(times)
    ]


def errors_in(page: Any) -> str:
    return "".join(
        re.findall(r'class="(?:refusal|errornote)"[^>]*>(.*?)</(?:div|p)>', page.content.decode(), re.DOTALL)
    )


def age_session(client: Client, minutes: float, cookie: str = "sessionid") -> None:
    """Let a browser's session be last seen some minutes ago."""
    store = SessionStore(client.cookies[cookie].value)
    store["seen_at"] -= minutes * 60
    store.save()


class TestOneMessage:
    def test_any_wrong_credential_is_answered_alike(self, player: Player, boss: User) -> None:
        closed = make_house().player(handle="closed").user
        closed.set_password(PASSWORD)
        closed.is_active = False
        closed.save()
        tries = (
            (player.user.email, "wrong"), ("nobody@test.example", PASSWORD), (closed.email, PASSWORD),
            (boss.email, "wrong"), ("", ""), ("x" * 300, "wrong"), ("maria\0@test.example", "wrong"),
        )  # fmt: skip
        for address in ("/login/", f"{BACK_OFFICE}login/"):
            said = {errors_in(log_in(Client(), email, password, address)).strip() for email, password in tries[:4]}
            assert len(said) == 1, said
            assert "do not belong together" in said.pop()
        for email, password in tries[4:]:
            assert log_in(Client(), email, password).status_code == 200

    def test_staff_and_players_are_kept_apart(self, player: Player, boss: User) -> None:
        assert log_in(Client(), boss.email).status_code == 200
        answer = log_in(Client(), player.user.email, address=f"{BACK_OFFICE}login/")
        assert "do not belong together" in errors_in(answer)

    def test_nobody_is_sent_to_another_site(self, player: Player) -> None:
        form = {"username": player.user.email, "password": PASSWORD, "next": "https://evil.example/"}
        assert Client().post("/login/", form)["Location"] == reverse("lobby")
        secret = give_second_factor(player.user)
        client = Client()
        client.post("/login/", form)
        assert client.post(reverse("second-factor"), {"code": code_of(secret)})["Location"] == reverse("lobby")


class TestTheLock:
    def test_five_failures_lock_the_account_also_for_the_right_password(self, player: Player) -> None:
        email = player.user.email
        assert fail(4, email) == [200] * 4
        assert log_in(Client(), email).status_code == 302
        assert fail(1, email) == [429]
        answer = log_in(Client(), email)
        assert answer.status_code == 429
        assert "Too many attempts" in answer.content.decode()
        assert (
            "sessionid" not in answer.cookies
            or not LoginRecord.objects.filter(session_key=answer.cookies["sessionid"].value).exists()
        )

    def test_a_locked_account_cannot_be_told_from_one_that_does_not_exist(self, player: Player) -> None:
        assert fail(5, "nobody@test.example") == fail(5, player.user.email) == [200] * 4 + [429]

    def test_neither_spelling_nor_address_nor_browser_gives_more_tries(self, player: Player) -> None:
        email = player.user.email
        spellings = (email.upper(), email.title(), f" {email} ", email)
        for number, spelling in enumerate(spellings):
            fail(1, spelling, REMOTE_ADDR=f"198.51.100.{number}", HTTP_USER_AGENT=f"browser {number}")
        assert fail(1, email, REMOTE_ADDR="203.0.113.9") == [429]
        assert log_in(Client(REMOTE_ADDR="203.0.113.10"), email).status_code == 429

    def test_both_entrances_count_together(self, boss: User) -> None:
        fail(3, boss.email, f"{BACK_OFFICE}login/")
        assert fail(2, boss.email) == [200, 429]
        assert log_in(Client(), boss.email, address=f"{BACK_OFFICE}login/").status_code == 429

    def test_the_lock_ends_after_half_an_hour(self, player: Player) -> None:
        fail(5, player.user.email)
        for minutes, status in ((29, 429), (2, 302)):
            for attempt in AccessAttempt.objects.all():
                attempt.attempt_time -= dt.timedelta(minutes=minutes)
                attempt.save()
            assert log_in(Client(), player.user.email).status_code == status

    def test_others_at_the_same_address_go_on(self, player: Player) -> None:
        other = make_house().player(handle="joao").user
        other.set_password(PASSWORD)
        other.save()
        fail(5, player.user.email)
        assert log_in(Client(), other.email).status_code == 302

    def test_an_address_that_tries_many_accounts_is_locked(self, player: Player, settings: Any) -> None:
        settings.LOGIN_FAILURES_OF_ADDRESS = 10
        for number in range(9):
            assert fail(1, f"n{number}@test.example", REMOTE_ADDR="198.51.100.7") == [200]
        assert fail(1, "n9@test.example", REMOTE_ADDR="198.51.100.7") == [429]
        assert log_in(Client(REMOTE_ADDR="198.51.100.7"), player.user.email).status_code == 429
        assert log_in(Client(REMOTE_ADDR="198.51.100.8"), player.user.email).status_code == 302

    def test_nothing_that_was_typed_is_kept(self, player: Player) -> None:
        fail(2, player.user.email)
        client = client_of(player)
        client.post(reverse("change-password"), {"old_password": "old wrong 1", "new_password": "new secret 2"})
        kept = repr(list(AccessAttempt.objects.values()))
        for typed in ("wrong 0", "wrong 1", "old wrong 1", "new secret 2"):
            assert typed not in kept

    def test_staff_unlock_with_a_reason(self, player: Player) -> None:
        fail(5, player.user.email)
        for reason, code in (
            ("", "missing"),
            ("   ", "missing"),
            ("x" * 301, "not_usable"),
            ("a@b.example", "not_usable"),
        ):
            with pytest.raises(RuleBroken) as refused:
                unlock_login(user=player.user, reason=reason, actor="staff:900001", at=NOON)
            assert refused.value.code == f"reason_{code}"
        assert log_in(Client(), player.user.email).status_code == 429
        act = unlock_login(user=player.user, reason="telephoned, birth date asked", actor="staff:900001", at=NOON)
        assert (act.kind, act.actor, act.user_id) == ("login_unlocked", "staff:900001", player.user_id)
        assert log_in(Client(), player.user.email).status_code == 302
        with pytest.raises(RuleBroken) as again:
            unlock_login(user=player.user, reason="again", actor="staff:900001", at=NOON)
        assert again.value.code == "not_locked"


class TestStaffPage:
    @pytest.mark.parametrize("act", ["unlock", "reset-second-factor", "close", "erase"])
    def test_an_act_needs_a_login_a_right_a_reason_and_another_person(self, player: Player, act: str) -> None:
        address = reverse("staff-act-on-person", args=[player.user_id, act])
        fail(5, player.user.email)
        assert Client().post(address, {"reason": "x"}).status_code == 302
        assert client_of(player).post(address, {"reason": "x"}).status_code == 302
        nobody = User.objects.create_user("auditor@test.example", is_staff=True)
        assert staff_client(nobody).post(address, {"reason": "x"}).status_code == 403
        boss = User.objects.create_superuser("boss@test.example", PASSWORD)
        client = staff_client(boss)
        assert client.get(address).status_code == 200
        assert client.post(address, {"reason": " "}).status_code == 409
        own = client.post(reverse("staff-act-on-person", args=[boss.pk, act]), {"reason": "x"})
        assert own.status_code == 409
        for other in (10**9, 10**30):
            assert client.post(f"{BACK_OFFICE}people/{other}/{act}/", {"reason": "x"}).status_code == 404
        assert client.get(f"{BACK_OFFICE}people/{player.user_id}/promote/").status_code == 404
        assert not PersonAct.objects.exists()
        assert User.objects.get(pk=player.user_id).is_active
        assert log_in(Client(), player.user.email).status_code == 429

    def test_support_unlocks_and_does_nothing_else(self, player: Player) -> None:
        support = User.objects.create_user("support@test.example", is_staff=True)
        support.groups.add(Group.objects.get(name="Support"))
        client = staff_client(support)
        fail(5, player.user.email)
        answer = client.post(reverse("staff-act-on-person", args=[player.user_id, "unlock"]), {"reason": "telephoned"})
        assert answer.status_code == 302
        assert PersonAct.objects.get().actor == f"staff:{support.pk}"
        assert log_in(Client(), player.user.email).status_code == 302
        for act in ("reset-second-factor", "close", "erase"):
            assert client.post(f"{BACK_OFFICE}people/{player.user_id}/{act}/", {"reason": "x"}).status_code == 403

    def test_an_administrator_cannot_take_a_superusers_second_factor(self, boss: User) -> None:
        give_second_factor(boss)
        administrator = User.objects.create_user("admin@test.example", is_staff=True)
        administrator.groups.add(Group.objects.get(name="Administrator"))
        address = reverse("staff-act-on-person", args=[boss.pk, "reset-second-factor"])
        assert staff_client(administrator).post(address, {"reason": "x"}).status_code == 403
        assert has_second_factor(boss)

    def test_who_has_lost_the_device_sets_up_another(self, boss: User) -> None:
        give_second_factor(boss)
        theirs = staff_client(boss)
        other = User.objects.create_superuser("other@test.example", PASSWORD)
        address = reverse("staff-act-on-person", args=[boss.pk, "reset-second-factor"])
        assert staff_client(other).post(address, {"reason": "lost, seen in person"}).status_code == 302
        assert theirs.get(BACK_OFFICE).status_code == 302
        assert log_in(Client(), boss.email, address=f"{BACK_OFFICE}login/")["Location"].endswith("/set-up/")


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
