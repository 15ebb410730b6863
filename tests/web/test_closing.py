"""The page on which a player closes his account, and what staff do for him."""

import pytest
from django.urls import reverse

from roulette_site.common.roles import lay_roles
from tests.house import NOON, House, PlayerAtTable, bet, make_house
from wallets.models import KycState, Player, Standing
from wallets.services.closing import advance_closing
from wallets.services.people import add_staff
from wallets.services.standing import set_kyc_state

from .pages import client_of, code_of, give_second_factor, staff_client

pytestmark = pytest.mark.django_db
PASSWORD = "a long and odd sentence 17"
SURE = {"sure": "yes", "password": PASSWORD, "reason": ""}


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    seated = house.seated(handle="maria")
    seated.seat.player.user.set_password(PASSWORD)
    seated.seat.player.user.save()
    return seated


def standing(player: Player) -> str:
    return Player.objects.get(pk=player.pk).standing


@pytest.mark.parametrize(
    "typed", [{}, {**SURE, "sure": ""}, {**SURE, "password": "wrong"}, {**SURE, "reason": "x" * 301}]
)
def test_whoever_is_not_sure_or_not_the_owner_closes_nothing(maria: PlayerAtTable, typed: dict[str, str]) -> None:
    answer = client_of(maria.seat.player).post(reverse("closing"), typed)
    assert answer.status_code == 422
    assert standing(maria.seat.player) == Standing.ACTIVE


def test_a_second_factor_is_asked_for_where_there_is_one(maria: PlayerAtTable) -> None:
    secret = give_second_factor(maria.seat.player.user)
    client = client_of(maria.seat.player)
    assert client.post(reverse("closing"), SURE).status_code == 422
    assert client.post(reverse("closing"), {**SURE, "code": code_of(secret)}).status_code == 302
    assert standing(maria.seat.player) == Standing.CLOSING


def test_it_is_followed_on_the_page_and_everything_else_can_still_be_seen(maria: PlayerAtTable) -> None:
    player = maria.seat.player
    maria.place(bet("red"))
    client = client_of(player)
    assert "Your wallet holds 99.00" in client.get(reverse("closing")).content.decode()
    page = client.post(reverse("closing"), SURE, follow=True).content.decode()
    assert "Your account is being closed" in page
    assert "Your last bets are being played." in page
    maria.game_session.refresh_from_db()
    assert maria.game_session.ended_at is not None
    for name in ("account", "cash", "transfers", "sessions", "inbox", "security"):
        assert client.get(reverse(name)).status_code == 200
    assert client.get(reverse("statement", args=[maria.game_session.pk])).status_code == 200
    assert client.post(reverse("export-me")).status_code == 200
    assert "Your account is being closed" in client.get(reverse("inbox")).content.decode()
    # Asked again it is the same closing.
    assert client.post(reverse("closing"), SURE).status_code == 302


def test_the_payment_is_seen_and_an_account_is_asked_for(house: House) -> None:
    joao = house.player(50_00)
    joao.user.set_password(PASSWORD)
    joao.user.save()
    joao.payout_addresses.update(iban_sealed="", iban_hash="", masked="", erased_at=house.at())
    client = client_of(joao)
    client.post(reverse("closing"), SURE)
    advance_closing(player_id=joao.pk, at=house.forward())
    assert "wait for a bank account to go to" in client.get(reverse("closing")).content.decode()
    named = {"iban": "DE89370400440532013000", "password": PASSWORD}
    assert client.post(reverse("payout-address"), named).status_code == 302
    advance_closing(player_id=joao.pk, at=house.forward())
    assert "on the way to DE89 **** 3000" in client.get(reverse("closing")).content.decode()


def test_who_is_not_known_reads_that_it_goes_back(house: House) -> None:
    sofia = house.player(50_00)
    set_kyc_state(player=sofia, state=KycState.EXPIRED, reason="papers", actor="staff:900001", at=house.forward())
    assert "goes back the way it came" in client_of(sofia).get(reverse("closing")).content.decode()


@pytest.mark.parametrize(("role", "status"), [("Compliance", 302), ("Finance", 403), ("Support", 403)])
def test_staff_close_with_a_reason_where_it_is_theirs_to(house: House, role: str, status: int) -> None:
    joao = house.player(50_00)
    client = staff_client(add_staff(email="one@test.example", full_name="One", roles=[role], at=NOON))
    address = reverse("staff-player", args=[joao.pk])
    assert client.post(address, {"act": "close", "reason": ""}).status_code == (403 if status == 403 else 409)
    assert client.post(address, {"act": "close", "reason": "A letter."}).status_code == status
    assert standing(joao) == ("closing" if status == 302 else "active")
    if status == 302:
        assert "waits for balance" in client.get(address).content.decode()


def test_staff_set_no_account_to_closed_by_hand(house: House) -> None:
    joao = house.player(0)
    client = staff_client(add_staff(email="one@test.example", full_name="One", roles=["Compliance"], at=NOON))
    for state in ("closed", "closing"):
        said = {"act": "standing", "state": state, "reason": "A letter."}
        assert client.post(reverse("staff-player", args=[joao.pk]), said).status_code == 400
    assert standing(joao) == "active"
    # The page of the account begins the same closing.
    client.post(reverse("staff-act-on-person", args=[joao.user_id, "close"]), {"reason": "A letter."})
    assert standing(joao) == "closing"
