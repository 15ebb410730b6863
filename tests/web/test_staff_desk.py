"""The staff's start page says what waits and leads there; doubles have a page; a user is found by all of an address."""

import datetime as dt

import pytest
from django.test import Client
from django.urls import reverse

from tests.house import NOON, House, make_house
from wallets.models import DocumentType, FindingKind, Player, Standing, User
from wallets.selectors.cash import money_wallet
from wallets.selectors.doubles import find_doubles
from wallets.services.cash_requests import request_withdrawal
from wallets.services.findings import open_finding
from wallets.services.people import add_staff, record_document, record_person
from wallets.services.standing import set_standing

from .pages import staff_client

pytestmark = pytest.mark.django_db
START = reverse("admin:index")


@pytest.fixture
def house() -> House:
    return make_house()


def client_of(role: str) -> Client:
    roles = [role] if role else []
    return staff_client(add_staff(email=f"one{role}@test.example", full_name="One", roles=roles, at=NOON))


def known(house: House, handle: str, number: str, born: int) -> Player:
    player = house.player(handle=handle)
    record_person(user=player.user, birth_date=dt.date(born, 1, 2), country="PT", at=NOON)
    record_document(user=player.user, document_type=DocumentType.PASSPORT, number=number, at=NOON)
    return player


def ask(player: Player, key: str) -> None:
    request_withdrawal(player=player, amount_cents=1_00, provider="bank", key=key, actor="system", at=NOON)


def find(player: Player) -> None:
    open_finding(
        kind=FindingKind.BALANCE, subject=player.handle, detail=f"of {player.handle}", actor="system", at=NOON,
        account=money_wallet(player),
    )  # fmt: skip


def test_the_start_page_counts_what_waits_for_whoever_looks(house: House) -> None:
    maria = house.player(handle="maria")
    ask(maria, "w-1")
    ask(maria, "w-2")
    find(maria)
    text = " ".join(client_of("Finance").get(START).content.decode().split())
    for words, count, address in (
        ("Requests for a second person", 0, reverse("staff:requests")),
        ("Withdrawals to approve", 2, f"{reverse('staff-cash')}?state=requested"),
        ("Findings", 1, reverse("staff-findings")),
    ):
        alarm = "desk-alarm" if count else ""
        assert f'<a href="{address}">{words}</a></th> <td class="desk-right {alarm}">{count}</td>' in text, words
    assert "Possible doubles" not in text
    assert "Possible doubles" in client_of("Compliance").get(START).content.decode()
    assert "What waits" not in client_of("").get(START).content.decode()


def test_from_a_player_the_way_leads_to_what_is_his_alone(house: House) -> None:
    maria, joao = house.player(handle="maria"), house.player(handle="joao")
    for player in (maria, joao):
        ask(player, f"w-{player.handle}")
        find(player)
    client = client_of("Finance")
    page = client.get(reverse("staff-player", args=[maria.pk])).content.decode()
    for name in ("staff-cash", "staff-findings"):
        address = f"{reverse(name)}?player={maria.pk}"
        assert address in page
        text = client.get(address).content.decode()
        assert ("maria" in text, "joao" in text) == (True, False)
        for nobody in ("0", "x", "9" * 18, "9" * 30):
            assert client.get(f"{reverse(name)}?player={nobody}").status_code == 404


def test_doubles_are_those_who_share_what_one_person_has(house: House) -> None:
    maria, joao = known(house, "maria", "LX 1234", 1990), known(house, "joao", "LX 1235", 1991)
    # All players of this house are paid out to one address.
    (paid,) = find_doubles()
    assert paid.what == "the same payout address"
    ana = known(house, "ana", "lx1234", 1992)
    found = {group.what: [player.pk for player in group.players] for group in find_doubles()}
    assert found == {
        "the same document": [maria.pk, ana.pk],
        "the same payout address": [maria.pk, joao.pk, ana.pk],
    }
    compliance = client_of("Compliance")
    text = compliance.get(reverse("staff-doubles")).content.decode()
    assert "the same document" in text
    assert reverse("staff-player", args=[ana.pk]) in text
    assert "Perhaps also ana" in compliance.get(reverse("staff-player", args=[maria.pk])).content.decode()
    assert client_of("Finance").get(reverse("staff-doubles")).status_code == 403
    assert Client().get(reverse("staff-doubles")).status_code == 302


def test_who_has_left_is_nobodys_double(house: House) -> None:
    house.player()
    gone = house.player(0)
    assert len(find_doubles()) == 1
    set_standing(player=gone, standing=Standing.CLOSED, reason="x", actor="staff:900001", at=NOON)
    assert find_doubles() == []


def test_a_user_is_found_by_all_of_his_address_or_name_and_by_no_part(house: House) -> None:
    maria = known(house, "maria", "LX 1234", 1990).user
    plain = User.objects.create_user("plain@test.example", full_name="Plain")
    client = staff_client(User.objects.create_superuser("boss@test.example", "x"))

    def found(text: str) -> set[int]:
        page = client.get(reverse("admin:wallets_user_changelist"), {"q": text})
        assert page.status_code == 200
        return {one.pk for one in page.context["cl"].result_list}

    assert found(" MARIA@test.example") == found("Maria") == {maria.pk}
    assert found("PLAIN@test.example") == {plain.pk}
    for part in ("@test.example", "mari", "plain", "ari", "%", "' OR 1=1 --", "x" * 5000):
        assert found(part) == set(), part
