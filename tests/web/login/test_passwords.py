"""Logging in with a password: one message for all that is wrong, the lock, and the page of staff."""

import datetime as dt
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from roulette_site.common.errors import RuleBroken
from tests.house import NOON, make_house
from tests.web.pages import client_of, code_of, give_second_factor, staff_client
from wallets.models import LoginRecord, PersonAct, Player, User
from wallets.services.logins import has_second_factor, unlock_login

from .logging_in import BACK_OFFICE, PASSWORD, errors_in, fail, log_in

pytestmark = pytest.mark.django_db


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
