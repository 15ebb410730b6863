"""What one person of Finance says in a provider's name: alone within his day, beyond it with a second, never for himself."""

from typing import Any

import pytest
from django.urls import reverse

from roulette_site.common.four_eyes import MakerDecides, approve_request, make_request
from roulette_site.common.models import AuditEntry, FourEyesRequest
from roulette_site.common.roles import lay_roles
from tests.house import NOON, House, make_house
from tests.web.pages import staff_client
from wallets.acts.money import ADJUST
from wallets.acts.payments import CONFIRM, FAIL
from wallets.models import CashRequest, Player, Unit, User
from wallets.services.caps import AboveCap, NeedsSecondPerson, OwnBenefit
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import StepNotAllowed, approve_withdrawal, confirm_payment, mark_failed
from wallets.services.ledger import open_wallet
from wallets.services.notices import InvalidNotice
from wallets.services.people import add_staff

from .books import hold_books

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(1000_00)


def finance(name: str) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=["Finance"], at=NOON)


def actor(user: User) -> str:
    return f"staff:{user.pk}"


def pay_in(player: Player, cents: int) -> CashRequest:
    return start_deposit(
        player=player, amount_cents=cents, provider="bank", key=f"d-{player.pk}-{cents}", actor="api:house", at=NOON
    ).request


def sent(player: Player, cents: int) -> CashRequest:
    request = request_withdrawal(
        player=player, amount_cents=cents, provider="bank", key=f"w-{cents}", actor="api:house", at=NOON
    ).request
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    return request


def balance(player: Player) -> int:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents or 0


def state(request: CashRequest) -> str:
    return CashRequest.objects.get(pk=request.pk).state


def test_deposits_and_refusals_and_adjustments_share_one_days_cap(maria: Player) -> None:
    filipa = finance("filipa")
    said: dict[str, Any] = {"actor": actor(filipa), "at": NOON}
    first, second, third, back = pay_in(maria, 200_00), pay_in(maria, 100_01), pay_in(maria, 1), sent(maria, 200_00)
    confirm_payment(request_id=first.pk, reference="B-1", **said)
    mark_failed(request_id=back.pk, reason="No such account.", **said)
    with pytest.raises(NeedsSecondPerson):
        confirm_payment(request_id=second.pk, reference="B-2", **said)
    assert (state(second), balance(maria)) == ("started", 1200_00)
    adjustment = {"player": maria.pk, "direction": "credit", "amount_cents": 100_01, "cause": "goodwill"}
    with pytest.raises(AboveCap):
        make_request(act=ADJUST, arguments=adjustment, user=filipa, reason="r", evidence="e", at=NOON)
    confirm_payment(request_id=third.pk, reference="B-3", **said)
    entries = AuditEntry.objects.filter(act="payment_told").order_by("id")
    assert [(one.after["outcome"], one.after["amount_cents"]) for one in entries] == [
        ("paid", 200_00), ("refused", 200_00), ("paid", 1),
    ]  # fmt: skip
    hold_books()


def test_what_makes_nobody_richer_is_not_capped(maria: Player) -> None:
    filipa = finance("filipa")
    paid, failed = sent(maria, 900_00), pay_in(maria, 900_00)
    confirm_payment(request_id=paid.pk, reference="B-1", actor=actor(filipa), at=NOON)
    mark_failed(request_id=failed.pk, reason="Nothing came.", actor=actor(filipa), at=NOON)
    assert (state(paid), state(failed), balance(maria)) == ("paid", "failed", 100_00)


def test_another_role_and_nobody_confirm_nothing_alone(maria: Player) -> None:
    support = add_staff(email="s@test.example", full_name="S", roles=["Support"], at=NOON)
    for who in (actor(support), "staff:900001", "staff:x", "system"):
        with pytest.raises(NeedsSecondPerson):
            confirm_payment(request_id=pay_in(maria, 1).pk, reference="B-1", actor=who, at=NOON)
    assert balance(maria) == 1000_00


def test_beyond_the_cap_two_confirm_and_two_give_back(maria: Player) -> None:
    filipa, goncalo = finance("filipa"), finance("goncalo")
    came, back = pay_in(maria, 900_00), sent(maria, 600_00)
    first = make_request(
        act=CONFIRM, arguments={"request": came.pk, "reference": "B-1"}, user=filipa, reason="statement 7", at=NOON
    )
    second = make_request(act=FAIL, arguments={"request": back.pk}, user=filipa, reason="x" * 400, at=NOON)
    for request in (first, second):
        with pytest.raises(MakerDecides):
            approve_request(request_id=request.pk, user=filipa, reason="seen", at=NOON)
    assert balance(maria) == 400_00
    for request in (first, second):
        approve_request(request_id=request.pk, user=goncalo, reason="seen", at=NOON)
    assert (state(came), state(back), balance(maria)) == ("confirmed", "refused", 1900_00)
    # It left the day's cap of both where it was.
    confirm_payment(request_id=pay_in(maria, 500_00).pk, reference="B-2", actor=actor(filipa), at=NOON)
    hold_books()


def test_nobody_confirms_his_own_deposit(house: House) -> None:
    filipa, goncalo = finance("filipa"), finance("goncalo")
    own = Player.objects.create(user=filipa, handle="filipa", created_at=NOON)
    came = pay_in(own, 5_00)
    with pytest.raises(OwnBenefit):
        confirm_payment(request_id=came.pk, reference="B-1", actor=actor(filipa), at=NOON)
    arguments = {"request": came.pk, "reference": "B-1"}
    with pytest.raises(OwnBenefit):
        make_request(act=CONFIRM, arguments=arguments, user=filipa, reason="r", at=NOON)
    request = make_request(act=CONFIRM, arguments=arguments, user=goncalo, reason="r", at=NOON)
    with pytest.raises(OwnBenefit):
        approve_request(request_id=request.pk, user=filipa, reason="seen", at=NOON)
    assert state(came) == "started"


def test_what_cannot_be_confirmed_is_not_asked_for(maria: Player) -> None:
    filipa, done = finance("filipa"), pay_in(maria, 1_00)
    confirm_payment(request_id=done.pk, reference="B-1", actor=actor(filipa), at=NOON)
    for arguments, error in (
        ({"request": done.pk, "reference": "B-2"}, StepNotAllowed),
        ({"request": pay_in(maria, 600_00).pk, "reference": "B 2"}, InvalidNotice),
    ):
        with pytest.raises(error):
            make_request(act=CONFIRM, arguments=arguments, user=filipa, reason="r", at=NOON)


def test_the_page_asks_for_a_second_person_where_it_must(maria: Player) -> None:
    filipa, goncalo = staff_client(finance("filipa")), finance("goncalo")
    came = pay_in(maria, 600_00)
    page = reverse("staff-cash-request", args=[came.pk])
    form = {"act": "confirm", "reference": "B-1"}
    assert "Give the reason" in filipa.post(page, form).content.decode()
    assert not FourEyesRequest.objects.exists()
    answer = filipa.post(page, {**form, "reason": "statement 7"}, follow=True).content.decode()
    assert "another person decides it" in answer
    assert (state(came), balance(maria)) == ("started", 1000_00)
    request = FourEyesRequest.objects.get()
    decide = reverse("staff:decide", args=[request.pk])
    shown = staff_client(goncalo).get(reverse("staff:request", args=[request.pk])).content.decode()
    assert f"Confirm {came}, the deposit of 600.00 EUR of player {maria.handle}, by payment B-1." in shown
    staff_client(goncalo).post(decide, {"answer": "approve", "reason": "seen"})
    assert (state(came), balance(maria)) == ("confirmed", 1600_00)
