"""What players owe: their own pages and those of finance."""

import datetime as dt

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from roulette_site.common.four_eyes import approve_request
from roulette_site.common.models import AuditEntry, FourEyesRequest
from roulette_site.common.roles import lay_roles
from roulette_site.common.sql import database_now
from tests.house import NOON, House, make_house
from tests.wallets.books import hold_books
from wallets.models import DocumentType, InboxMessage, Player, Reason, Transfer, Unit
from wallets.selectors.receivables import debts, owed_by
from wallets.services.caps import OwnBenefit
from wallets.services.corrections import correct_transfer, pay_back
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.people import add_staff, record_document

from .pages import client_of, key, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


def owing(house: House, cents: int, has: int = 0) -> Player:
    """A player from whom a deposit was taken back that he had spent."""
    player = house.player(cents)
    first = Transfer.objects.get(credit__player=player, reason=Reason.DEPOSIT)
    wallet = open_wallet(player=player, unit=Unit.EUR)
    withdraw(wallet=wallet, amount_cents=cents, actor="system", at=house.forward())
    correct_transfer(first=first, amount_cents=cents, actor="staff:900009", at=house.forward())
    if has:
        deposit(wallet=wallet, amount_cents=has, actor="system", at=house.forward())
    return player


def balance(player: Player) -> int:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents or 0


def finance(name: str):  # type: ignore[no-untyped-def]
    return add_staff(email=f"{name}@test.example", full_name=name, roles=["Finance"], at=NOON)


def take(client, player: Player, typed: str, **more: str):  # type: ignore[no-untyped-def]
    said = {"amount": typed, "reason": "He asked for it.", "consent": "Letter of 14 June.", **more}
    return client.post(reverse("staff-receivable", args=[player.pk]), said, follow=True)


def test_who_owes_how_much_since_when_and_why(house: House) -> None:
    maria, joao = owing(house, 30_00), owing(house, 40_00, has=100_00)
    pay_back(player=joao, unit=Unit.EUR, amount_cents=40_00, actor=f"player:{joao.pk}", at=house.forward())
    (debt,) = debts(limit=10)
    assert (debt.player, debt.owed_cents, debt.unit) == (maria, 30_00, Unit.EUR)
    assert debt.cause is not None
    assert debt.cause.reason == Reason.DEPOSIT
    assert owed_by(joao) == []


def test_the_oldest_part_is_paid_back_first(house: House) -> None:
    maria = owing(house, 30_00, has=50_00)
    first = owed_by(maria)[0].since
    again = deposit(
        wallet=open_wallet(player=maria, unit=Unit.EUR), amount_cents=50_00, actor="system", at=house.forward()
    )
    house.now += dt.timedelta(days=3)
    correct_transfer(first=again, amount_cents=50_00, actor="staff:900009", at=house.forward())
    assert (owed_by(maria)[0].since, balance(maria)) == (first, 50_00)
    pay_back(player=maria, unit=Unit.EUR, amount_cents=29_99, actor="system", at=house.forward())
    assert (owed_by(maria)[0].since, owed_by(maria)[0].owed_cents) == (first, 1)


def test_the_player_sees_it_is_told_and_pays_back_himself(house: House) -> None:
    maria = owing(house, 30_00, has=50_00)
    client = client_of(maria)
    for name in ("account", "transfers"):
        assert "You owe the house" in client.get(reverse(name)).content.decode()
    assert "you owe the house" in client.get(reverse("inbox")).content.decode()
    for wrong in ("30.01", "0.00", "x", ""):
        answer = client.post(reverse("pay-back"), {"amount": wrong, **key()}, follow=True)
        assert (answer.status_code, balance(maria)) == (200, 50_00)
    form = {"amount": "10.00", **key()}
    for _ in range(2):
        client.post(reverse("pay-back"), form)
    assert (balance(maria), owed_by(maria)[0].owed_cents) == (40_00, 20_00)
    client.post(reverse("pay-back"), {"amount": "20.00", **key()})
    assert "You owe the house" not in client.get(reverse("account")).content.decode()
    hold_books()


def test_two_of_finance_take_it_with_consent_however_little_it_is(house: House) -> None:
    maria = owing(house, 30_00, has=50_00)
    filipa, goncalo = finance("filipa"), finance("goncalo")
    client = staff_client(filipa)
    page = client.get(reverse("staff-receivables")).content.decode()
    assert maria.handle in page
    assert "deposit of 30.00 EUR" in page
    for missing in ({"reason": ""}, {"consent": ""}, {"amount": "30.01"}, {"amount": "x"}):
        assert take(client, maria, "10.00", **missing).status_code == 409
    assert "another person decides" in take(client, maria, "10.00").content.decode()
    assert balance(maria) == 50_00
    approve_request(request_id=FourEyesRequest.objects.get().pk, user=goncalo, reason="seen", at=database_now())
    assert (balance(maria), owed_by(maria)[0].owed_cents) == (40_00, 20_00)
    entry = AuditEntry.objects.get(act="owed_taken")
    assert entry.after is not None
    assert (entry.after["consent"], entry.after["amount_cents"]) == ("Letter of 14 June.", 10_00)
    assert entry.after["second_actor"] == f"staff:{goncalo.pk}"
    assert InboxMessage.objects.filter(data__paid_cents=10_00).count() == 1
    hold_books()


def test_who_may_be_the_player_has_nothing_to_do_with_what_he_owes(house: House) -> None:
    maria = owing(house, 30_00, has=50_00)
    filipa, goncalo = finance("filipa"), finance("goncalo")
    for user in (maria.user, filipa):
        record_document(user=user, document_type=DocumentType.PASSPORT, number="LX 1", at=NOON)
    refused = take(staff_client(filipa), maria, "10.00")
    assert (refused.status_code, FourEyesRequest.objects.count()) == (409, 0)
    take(staff_client(goncalo), maria, "10.00")
    with pytest.raises(OwnBenefit):
        approve_request(request_id=FourEyesRequest.objects.get().pk, user=filipa, reason="x", at=database_now())
    assert balance(maria) == 50_00


def test_only_finance_takes(house: House) -> None:
    maria = owing(house, 30_00, has=50_00)
    for role in Group.objects.exclude(name="Finance").values_list("name", flat=True):
        user = add_staff(email=f"{role.split()[0].lower()}@test.example", full_name=role, roles=[role], at=NOON)
        assert take(staff_client(user), maria, "10.00").status_code == 403, role
    assert balance(maria) == 50_00
