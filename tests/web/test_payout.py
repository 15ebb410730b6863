"""The page on which a player says where he is paid out to, and what staff see of it."""

import pytest
from django.test import Client
from django.urls import reverse

from roulette_site.common.roles import lay_roles
from tests.house import IBAN, NOON, House, make_house
from wallets.models import CashRequest, CashState, PayoutAddress, Player
from wallets.selectors.payout import address_of
from wallets.services.people import add_staff

from .pages import client_of, code_of, give_second_factor, key, staff_client

pytestmark = pytest.mark.django_db
OTHER = "DE89 3704 0044 0532 0130 00"
PASSWORD = "a long and odd sentence 17"


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    player = house.player(100_00, "maria")
    player.user.set_password(PASSWORD)
    player.user.save()
    return player


def page(client: Client) -> str:
    return client.get(reverse("payout-address")).content.decode()


def test_the_number_is_never_shown_again(maria: Player) -> None:
    client = client_of(maria)
    for shown in (page(client), client.get(reverse("cash")).content.decode()):
        assert "PT50 **** 0154" in shown
        assert IBAN not in shown.replace(" ", "")


@pytest.mark.parametrize("typed", [{}, {"password": "wrong"}, {"password": ""}])
def test_without_the_password_nothing_changes(maria: Player, typed: dict[str, str]) -> None:
    answer = client_of(maria).post(reverse("payout-address"), {"iban": OTHER, **typed})
    assert answer.status_code == 422
    assert PayoutAddress.objects.filter(player=maria).count() == 1


def test_five_wrong_passwords_lock_the_account_here_too(maria: Player) -> None:
    client = client_of(maria)
    answers = [
        client.post(reverse("payout-address"), {"iban": OTHER, "password": typed}).status_code
        for typed in (*(f"wrong {n}" for n in range(5)), PASSWORD)
    ]
    assert answers == [422] * 4 + [429] * 2
    assert PayoutAddress.objects.filter(player=maria).count() == 1


def test_who_has_a_second_factor_shows_it(maria: Player) -> None:
    secret = give_second_factor(maria.user)
    client, typed = client_of(maria), {"iban": OTHER, "password": PASSWORD}
    for code in ({}, {"code": "000000"}):
        assert client.post(reverse("payout-address"), {**typed, **code}).status_code == 422
    # A number that is none uses no code up.
    code = {"code": code_of(secret)}
    assert client.post(reverse("payout-address"), {**typed, **code, "iban": "PT51"}).status_code == 422
    assert client.post(reverse("payout-address"), {**typed, **code}).status_code == 302
    assert address_of(maria).masked == "DE89 **** 3000"


def test_a_wrong_number_is_said_beside_what_was_typed(maria: Player) -> None:
    answer = client_of(maria).post(reverse("payout-address"), {"iban": "PT51 0002", "password": PASSWORD})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "two letters for the country" in text
    assert 'value="PT51 0002"' in text
    assert PASSWORD not in text


def test_a_change_holds_the_next_withdrawal_and_is_told(maria: Player) -> None:
    client = client_of(maria)
    answer = client.post(reverse("payout-address"), {"iban": OTHER, "password": PASSWORD}, follow=True)
    assert "You are paid out to DE89 **** 3000." in answer.content.decode()
    assert "is looked at by a person first" in answer.content.decode()
    client.post(reverse("withdraw"), {"amount": "10.00", "provider": "bank", **key()})
    assert CashRequest.objects.get().state == CashState.HELD
    assert "We are looking at your request" in client.get(reverse("cash")).content.decode()
    assert "You are paid out to DE89 **** 3000 from now on." in client.get(reverse("inbox")).content.decode()


def test_without_an_address_the_cash_desk_leads_to_it(maria: Player) -> None:
    PayoutAddress.objects.update(iban_sealed="", iban_hash="", masked="", erased_at=NOON)
    client = client_of(maria)
    assert "Say first which bank account" in client.get(reverse("cash")).content.decode()
    answer = client.post(reverse("withdraw"), {"amount": "10.00", "provider": "bank", **key()})
    assert "Say first which bank account you are paid out to." in answer.content.decode()
    assert CashRequest.objects.count() == 0


def test_staff_see_the_masked_form_and_who_shares_it(house: House, maria: Player) -> None:
    lay_roles(at=NOON)
    joao = house.player(handle="joao")
    filipa = staff_client(add_staff(email="filipa@test.example", full_name="Filipa", roles=["Finance"], at=NOON))
    client_of(maria).post(reverse("withdraw"), {"amount": "10.00", "provider": "bank", **key()})
    pages = [
        filipa.get(reverse("staff-player", args=[maria.pk])),
        filipa.get(reverse("staff-cash-request", args=[CashRequest.objects.get().pk])),
        filipa.get(reverse("admin:wallets_payoutaddress_changelist"), {"q": IBAN}),
        filipa.get(reverse("admin:wallets_payoutaddress_change", args=[address_of(maria).pk])),
    ]
    for answer in pages:
        assert answer.status_code == 200
        assert "PT50 **** 0154" in answer.content.decode()
    assert joao.handle in pages[0].content.decode()
    for answer in (pages[0], pages[1], pages[3]):
        assert IBAN not in answer.content.decode()
        assert address_of(maria).iban_sealed not in answer.content.decode()
