"""The registry of restricted persons and the register of excluded people in the back-office, and logging in."""

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from roulette_site.common.models import AuditEntry, FourEyesRequest
from tests.house import NOON, House, make_house
from tests.wallets.registers import put_in_place, with_particulars
from wallets.models import Player, RegisterCheck, RestrictedEntry, User

from .pages import client_of, staff_client

pytestmark = pytest.mark.django_db
ENTRY = {"act": "enter", "kind": "court", "document_number": "AB 1234", "email": "", "reason": "order 7"}
LIST, REGISTER = "staff-restricted", "staff-register"


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(handle="maria")


def member(role: str, number: int = 1) -> Client:
    user = User.objects.create_user(f"{role.lower()}{number}@test.example".replace(" ", ""), is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return staff_client(user)


def test_who_may_look_and_who_may_act(maria: Player) -> None:
    entry = _entered(member("Compliance"))
    pages = [reverse(LIST), reverse(REGISTER), reverse("staff-restricted-entry", args=[entry.pk])]
    for page in pages:
        assert Client().get(page).status_code == 302
        assert client_of(maria).get(page).status_code == 302
        assert member("Floor manager", hash(page) % 1000).get(page).status_code == 403
        auditor = member("Auditor", hash(page) % 1000)
        assert auditor.get(page).status_code == 200
        if page != reverse(LIST):
            assert auditor.post(page, {"reason": "x"}).status_code == 403
    auditor = member("Auditor", 2)
    assert auditor.post(reverse(LIST), ENTRY).status_code == 403
    assert auditor.post(reverse(LIST), {"act": "search", "search": "ab1234"}).status_code == 200
    assert RestrictedEntry.objects.count() == 1
    assert not FourEyesRequest.objects.exists()
    assert auditor.get(reverse("staff-restricted-entry", args=[10**9])).status_code == 404
    assert auditor.get(f"/{'backoffice'}/restricted/{10**20}/").status_code == 404


def _entered(client: Client) -> RestrictedEntry:
    answer = client.post(reverse(LIST), ENTRY)
    assert answer.status_code == 302
    return RestrictedEntry.objects.get()


def test_one_enters_and_two_end(maria: Player) -> None:
    first, second = member("Compliance", 1), member("Compliance", 2)
    entry = _entered(first)
    page = reverse("staff-restricted-entry", args=[entry.pk])
    assert first.post(page, {"reason": ""}).status_code == 409
    assert first.post(page, {"reason": "lifted by the court"}).status_code == 302
    request = FourEyesRequest.objects.get()
    decide = reverse("staff:decide", args=[request.pk])
    first.post(decide, {"answer": "approve", "reason": "x"})
    entry.refresh_from_db()
    assert entry.ended_at is None
    second.post(decide, {"answer": "approve", "reason": "seen the order"})
    entry.refresh_from_db()
    assert entry.ended_at is not None
    text = first.get(page).content.decode()
    assert "lifted by the court" in text
    assert "Ask a second person" not in text
    acts = AuditEntry.objects.filter(subject_kind="restricted_entry").order_by("id").values_list("act", flat=True)
    assert list(acts) == ["restricted_entered", "restricted_ended"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"document_number": ""},
        {"document_number": "\u202eAB1"},
        {"document_number": "=cmd()"},
        {"email": "nobody"},
        {"reason": ""},
        {"kind": "friend"},
        {"from": "tomorrow"},
        {"until": "2020-01-01"},
        {"until": "9999-99-99"},
    ],
)
def test_what_is_no_entry_is_refused_with_a_sentence_and_what_was_typed_stays(wrong: dict[str, str]) -> None:
    answer = member("Compliance").post(reverse(LIST), ENTRY | wrong)
    assert answer.status_code == 409
    assert "errornote" in answer.content.decode()
    assert not RestrictedEntry.objects.exists()


def test_a_search_finds_by_the_whole_number_alone_and_stands_in_no_address() -> None:
    client = member("Compliance")
    entry = _entered(client)
    line = reverse("staff-restricted-entry", args=[entry.pk])
    for term, is_found in (("ab-1234", True), ("ab12", False), ("<script>", False)):
        text = client.post(reverse(LIST), {"act": "search", "search": term}).content.decode()
        assert (line in text) == is_found
        assert term not in text
    assert line in client.get(reverse(LIST), {"search": "nobody"}).content.decode()
    assert client.post(reverse(LIST), {"act": "forget"}).status_code == 400


def test_the_page_of_the_register_says_how_it_stands(maria: Player, settings: Any, tmp_path: Any) -> None:
    client = member("Compliance")
    assert "No register is asked" in client.get(reverse(REGISTER)).content.decode()
    settings.EXCLUSION_REGISTER = "file"
    settings.EXCLUSION_REGISTER_FILE = tmp_path / "list.csv"
    assert "there is no file" in client.get(reverse(REGISTER)).content.decode()
    (tmp_path / "list.csv").write_text("document_number\nAB1\n...\n")
    text = client.get(reverse(REGISTER)).content.decode()
    assert "line 3: document_number is none" in text
    settings.EXCLUSION_REGISTER = "nowhere"
    assert "names no register" in client.get(reverse(REGISTER)).content.decode()
    settings.EXCLUSION_REGISTER = "file"
    assert client.post(reverse(REGISTER)).status_code == 302


def test_logging_in_asks_about_a_player_and_staff_see_the_answer(maria: Player, settings: Any, tmp_path: Any) -> None:
    register = put_in_place(settings)
    register.listed.add("maria")
    with_particulars(maria, NOON)
    client = client_of(maria)
    check = RegisterCheck.objects.get()
    assert (check.occasion, check.answer) == ("login", "listed")
    assert "excluded without end" in client.get(reverse("inbox")).content.decode()
    text = member("Compliance").get(reverse("staff-player", args=[maria.pk])).content.decode()
    assert "he logged in" in text
    # Nobody of the house ends it, so nobody is offered to ask.
    assert "Ask a second person to lift it" not in text
    listed = member("Auditor").get(reverse(REGISTER), {"answer": "listed"}).content.decode()
    assert "maria" in listed
    assert "maria" not in member("Auditor", 2).get(reverse(REGISTER), {"answer": "unknown"}).content.decode()


def test_a_silent_register_keeps_nobody_from_logging_in_and_the_decision_says_why(maria: Player, settings: Any) -> None:
    put_in_place(settings).falls_silent()
    with_particulars(maria, NOON)
    assert client_of(maria).get(reverse("lobby")).status_code == 200
    page = reverse("staff-player", args=[maria.pk])
    compliance = member("Compliance")
    assert compliance.post(page, {"act": "kyc", "state": "expired", "reason": "x"}).status_code == 302
    answer = compliance.post(reverse("staff-papers", args=[maria.pk]), {"act": "verify", "seen": "0", "reason": "x"})
    assert answer.status_code == 409
    assert "gives no answer" in answer.content.decode()


def test_a_player_is_not_made_staff_by_the_admins_form(maria: Player) -> None:
    """Who works here has an account of the staff's beside; his own play ends by an entry of the registry."""
    admin = member("Administrator")
    page = reverse("admin:wallets_user_change", args=[maria.user_id])
    answer = admin.post(page, {"email": maria.user.email, "full_name": "Maria", "is_active": "on", "is_staff": "on"})
    assert answer.status_code == 302
    maria.user.refresh_from_db()
    assert not maria.user.is_staff
