"""Corrections by staff: asked for on the player's page, decided by another, and told to the player."""

from typing import Any

import pytest
from django.urls import reverse

from roulette_site.common.four_eyes import ActRefused, approve_request, make_request
from roulette_site.common.models import AuditEntry, FourEyesRequest
from roulette_site.common.roles import lay_roles
from tests.house import House, adjusted, bet, make_house
from tests.web.pages import client_of, staff_client
from wallets.acts.money import CORRECT
from wallets.models import DecidedTransfer, InboxMessage, Player, Reason, Transfer, Unit, User
from wallets.selectors.receivables import owed_by
from wallets.services.caps import OwnBenefit
from wallets.services.cash_requests import request_withdrawal
from wallets.services.corrections import CorrectionTooLarge, WithdrawalIsHeld
from wallets.services.ledger import open_wallet, withdraw
from wallets.services.people import add_staff
from wallets.services.staff_corrections import NotCorrectable

from .books import hold_books

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    house = make_house()
    lay_roles(at=house.at())
    return house


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(700_00)


def finance(name: str, house: House) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=["Finance"], at=house.at())


@pytest.fixture
def filipa(house: House) -> User:
    return finance("filipa", house)


@pytest.fixture
def goncalo(house: House) -> User:
    return finance("goncalo", house)


def ask(user: User, player: Player, transfer: Transfer, cents: int, house: House) -> FourEyesRequest:
    said = {"player": player.pk, "transfer": transfer.pk, "amount_cents": cents}
    return make_request(
        act=CORRECT,
        arguments=said,
        user=user,
        reason=f"charged back {FourEyesRequest.objects.count()}",
        evidence="a letter",
        at=house.forward(),
    )


def approve(request: FourEyesRequest, user: User, house: House) -> FourEyesRequest:
    return approve_request(request_id=request.pk, user=user, reason="seen", at=house.forward())


def paid_in(player: Player) -> Transfer:
    return Transfer.objects.get(credit__player=player, reason=Reason.DEPOSIT)


def balance(player: Player) -> int:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents or 0


def test_a_correction_names_what_it_undoes_and_who_decided_it_and_is_told(
    house: House, maria: Player, filipa: User, goncalo: User
) -> None:
    first = paid_in(maria)
    request = approve(ask(filipa, maria, first, 600_00, house), goncalo, house)
    row = DecidedTransfer.objects.get()
    assert (row.request, row.transfer.corrects, row.transfer.amount_cents) == (request, first, 600_00)
    assert balance(maria) == 100_00
    entry = AuditEntry.objects.get(act="transfer_corrected")
    assert (entry.actor, entry.after["second_actor"], entry.reason) == (
        f"staff:{filipa.pk}", f"staff:{goncalo.pk}", "charged back 0",
    )  # fmt: skip
    said = client_of(maria).get(reverse("inbox")).content.decode()
    assert "Deposit of 15 Jun 2026, 13:00 was corrected: 600.00\xa0€ were taken from your wallet." in said
    assert "charged back" not in said
    with pytest.raises(CorrectionTooLarge):
        ask(filipa, maria, first, 100_01, house)
    hold_books()


def test_what_the_wallet_does_not_hold_is_owed_and_both_are_told(
    house: House, maria: Player, filipa: User, goncalo: User
) -> None:
    wallet = open_wallet(player=maria, unit=Unit.EUR)
    withdraw(wallet=wallet, amount_cents=650_00, actor="system", at=house.forward())
    approve(ask(filipa, maria, paid_in(maria), 100_00, house), goncalo, house)
    assert (balance(maria), owed_by(maria)[0].owed_cents) == (0, 50_00)
    told = InboxMessage.objects.filter(player=maria).order_by("-id").values_list("kind", flat=True)[:2]
    assert set(told) == {"receivable", "correction"}
    hold_books()


def test_an_adjustment_taken_too_much_comes_back(house: House, maria: Player, filipa: User, goncalo: User) -> None:
    taken = adjusted(maria, at=house.forward(), direction="debit", cents=30_00)
    approve(ask(filipa, maria, taken, 10_00, house), goncalo, house)
    assert balance(maria) == 680_00
    assert "10.00\xa0€ more are in your wallet" in client_of(maria).get(reverse("inbox")).content.decode()
    hold_books()


def test_what_the_game_moved_and_what_is_another_players_is_not_corrected_by_hand(
    house: House, maria: Player, filipa: User
) -> None:
    seated = house.seated()
    seated.play(bet("red"), bet("black"), bet("straight", 0))
    held = request_withdrawal(
        player=maria, amount_cents=5_00, provider="bank", key="w", actor="api:house", at=house.forward()
    ).request.held
    assert held is not None
    player = seated.game_session.player
    for reason in (Reason.STAKE, Reason.STAKE_RETURNED, Reason.PRIZE):
        moved = Transfer.objects.filter(reason=reason).latest("pk")
        with pytest.raises(NotCorrectable):
            ask(filipa, player, moved, 1, house)
    for wrong, error in ((paid_in(player), NotCorrectable), (held, WithdrawalIsHeld)):
        with pytest.raises(error):
            ask(filipa, maria, wrong, 1, house)
    assert not FourEyesRequest.objects.exists()


def test_it_is_looked_at_again_when_it_is_decided(house: House, maria: Player, filipa: User, goncalo: User) -> None:
    requests = [ask(filipa, maria, paid_in(maria), 400_00, house) for _ in range(2)]
    approve(requests[0], goncalo, house)
    with pytest.raises(ActRefused) as refused:
        approve(requests[1], goncalo, house)
    assert refused.value.details["because"] == "correction_too_large"
    assert balance(maria) == 300_00


def test_nobody_corrects_his_own(house: House, maria: Player, filipa: User, goncalo: User) -> None:
    own = Player.objects.create(user=filipa, handle="filipa", created_at=house.at())
    taken = adjusted_of(own, house)
    with pytest.raises(OwnBenefit):
        ask(filipa, own, taken, 1, house)
    request = ask(goncalo, own, taken, 1, house)
    with pytest.raises(OwnBenefit):
        approve(request, filipa, house)


def adjusted_of(player: Player, house: House) -> Transfer:
    adjusted(player, at=house.forward(), cents=2_00)
    return adjusted(player, at=house.forward(), direction="debit", cents=1_00)


def test_the_players_page_offers_it_to_finance_alone(house: House, maria: Player, filipa: User, goncalo: User) -> None:
    page, first = reverse("staff-player", args=[maria.pk]), paid_in(maria)
    client = staff_client(filipa)
    shown = client.get(page).content.decode()
    assert "What can be corrected" in shown
    assert f'<th scope="row">{first.pk}</th>' in shown
    form: dict[str, Any] = {
        "act": "ask-correction", "transfer": first.pk, "amount": "10.00", "reason": "r", "evidence": "e",
    }  # fmt: skip
    for wrong in ({"transfer": "x"}, {"transfer": 0}, {"amount": "700.01"}, {"amount": ""}, {"reason": " "}):
        assert client.post(page, {**form, **wrong}).status_code == 409, wrong
    assert not FourEyesRequest.objects.exists()
    assert client.post(page, form).status_code == 302
    request = FourEyesRequest.objects.get()
    told = staff_client(goncalo).get(reverse("staff:request", args=[request.pk])).content.decode()
    assert f"Undo 10.00 EUR of transfer {first.pk}, the deposit of 700.00 EUR, taking it from player" in told
    for role in ("Support", "Compliance", "Auditor"):
        user = add_staff(email=f"{role}@test.example", full_name=role, roles=[role], at=house.at())
        other = staff_client(user)
        assert "What can be corrected" not in other.get(page).content.decode()
        assert other.post(page, form).status_code == 403
