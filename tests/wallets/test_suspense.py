"""Money in suspense: it leaves once, by two people, to the player whose it is or back, and the findings close with it."""

import datetime as dt
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from roulette_site.common.four_eyes import ActRefused, approve_request, make_request
from roulette_site.common.models import AuditEntry, FourEyesRequest
from roulette_site.common.roles import lay_roles
from tests.api.caller import Caller, make_key
from tests.house import NOON, House, make_house
from tests.web.pages import client_of, staff_client
from wallets.acts.money import RELEASE
from wallets.models import (
    AccountKind,
    CashKind,
    CashRequest,
    DecidedTransfer,
    DocumentType,
    Finding,
    LimitKind,
    LimitPeriod,
    NoticeOutcome,
    Player,
    Scope,
    Transfer,
    Unit,
    User,
)
from wallets.selectors.findings import open_findings
from wallets.selectors.operator_balances import operator_balance
from wallets.selectors.suspense import suspended_transfers
from wallets.services.caps import OwnBenefit
from wallets.services.cash_requests import start_deposit
from wallets.services.exclusion import exclude_self
from wallets.services.findings import resolve_finding, take_finding
from wallets.services.ledger import open_wallet, operator_account
from wallets.services.limits import set_operator_limit
from wallets.services.notices import Told, take_notice
from wallets.services.people import add_staff, record_document
from wallets.services.reconciliation import reconcile
from wallets.services.suspense import NotHisDeposit, NotInSuspense

from .books import hold_books

pytestmark = pytest.mark.django_db
LATER = NOON + dt.timedelta(hours=1)


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(0, handle="maria")


@pytest.fixture
def filipa(house: House) -> User:
    return finance("filipa")


@pytest.fixture
def goncalo(house: House) -> User:
    return finance("goncalo")


def finance(name: str) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=["Finance"], at=NOON)


def lost(cents: int = 50_00, ours: str = "", reference: str = "B-1") -> Transfer:
    """Money that a bank tells of and nobody knows."""
    told = Told("bank", reference, ours, CashKind.DEPOSIT, NoticeOutcome.PAID, cents, "EUR")
    suspended = take_notice(told=told, actor="provider:bank", at=NOON).notice.suspended
    assert suspended is not None
    return suspended


def ask(user: User, money: Transfer, player: Player | None = None, deposit: CashRequest | None = None) -> Any:
    said = {
        "transfer": money.pk, "player": player and player.pk, "deposit": deposit and deposit.pk,
    }  # fmt: skip
    return make_request(
        act=RELEASE, arguments=said, user=user, reason=f"the bank's letter {FourEyesRequest.objects.count()}", at=NOON
    )


def approve(request: FourEyesRequest, user: User) -> FourEyesRequest:
    return approve_request(request_id=request.pk, user=user, reason="seen", at=LATER)


def pay_in(player: Player, cents: int) -> CashRequest:
    return start_deposit(
        player=player, amount_cents=cents, provider="bank", key="d", actor="api:house", at=NOON
    ).request


def balance(player: Player) -> int:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents or 0


def in_suspense() -> int:
    return operator_balance(operator_account(kind=AccountKind.SUSPENSE, unit=Unit.EUR).pk)


def test_it_is_given_to_a_player_who_is_told_and_counts_as_paid_in(maria: Player, filipa: User, goncalo: User) -> None:
    money = lost()
    request = ask(filipa, money, maria)
    assert (balance(maria), in_suspense()) == (0, 50_00)
    approve(request, goncalo)
    assert (balance(maria), in_suspense(), open_findings().count()) == (50_00, 0, 0)
    transfer = DecidedTransfer.objects.get(releases=money).transfer
    assert (transfer.reason, transfer.player_day, transfer.actor) == ("deposit", NOON.date(), f"staff:{filipa.pk}")
    step = Finding.objects.get().steps.get(kind="resolved")
    assert (step.actor, step.text) == (f"staff:{filipa.pk}", f"Assigned to player {maria.pk}. the bank's letter 0")
    entry = AuditEntry.objects.get(act="suspense_released")
    assert (entry.after["player"], entry.after["second_actor"]) == (maria.pk, f"staff:{goncalo.pk}")
    said = client_of(maria).get(reverse("inbox")).content.decode()
    assert "50.00\xa0€ that came for you without saying so are in your wallet now." in said
    hold_books()


def test_the_deposit_that_waits_for_it_is_confirmed_by_it(maria: Player, filipa: User, goncalo: User) -> None:
    deposit = pay_in(maria, 50_00)
    approve(ask(filipa, lost(), maria, deposit), goncalo)
    deposit.refresh_from_db()
    assert (deposit.state, deposit.moved, balance(maria)) == (
        "confirmed",
        DecidedTransfer.objects.get().transfer,
        50_00,
    )
    # Told of it once more, the same deposit is not paid a second time.
    again = lost(50_00, str(deposit), "B-2")
    assert (in_suspense(), balance(maria)) == (50_00, 50_00)
    approve(ask(filipa, again, maria, deposit), goncalo)
    assert balance(maria) == 100_00
    hold_books()


def test_money_of_another_amount_only_names_the_deposit(maria: Player, filipa: User, goncalo: User) -> None:
    deposit = pay_in(maria, 60_00)
    approve(ask(filipa, lost(), maria, deposit), goncalo)
    deposit.refresh_from_db()
    assert (deposit.state, balance(maria)) == ("started", 50_00)
    hold_books()


def kept(player: Player) -> tuple[CashRequest, Transfer]:
    """Her deposit, which the bank paid after a limit was set below it."""
    deposit = pay_in(player, 50_00)
    of_a_day: dict[str, Any] = {"player": player, "kind": LimitKind.DEPOSIT, "period": LimitPeriod.DAY}
    set_operator_limit(**of_a_day, value=1_00, reason="r", actor="staff:900001", at=NOON)
    money = lost(ours=str(deposit))
    set_operator_limit(**of_a_day, value=None, reason="r", actor="staff:900001", second_actor="staff:900002", at=NOON)
    return deposit, money


def told(player: Player, page: str = "inbox") -> str:
    return client_of(player).get(reverse(page)).content.decode()


def said_to_integrators(deposit: CashRequest) -> tuple[str, str | None]:
    page = Caller(make_key(Scope.CASH)).get(f"players/{deposit.account.player.handle}/deposits").json()
    (one,) = page["results"]
    return one["state"], one["kept"]


def test_of_money_that_was_kept_the_player_is_told_and_what_became_of_it(
    maria: Player, filipa: User, goncalo: User
) -> None:
    deposit, money = kept(maria)
    assert (balance(maria), CashRequest.objects.get().state) == (0, "failed")
    said = f"50.00\xa0€ came for your deposit {deposit} and could not be added to your wallet."
    assert said in told(maria)
    page = told(maria, "cash")
    assert said_to_integrators(deposit) == ("failed", "kept")
    assert "Your money has come and could not be added to your wallet." in page
    assert "Nothing was added to your wallet" not in page
    approve(ask(filipa, money, maria), goncalo)
    assert f"50.00\xa0€ that the house had kept, of your deposit {deposit}, are in your wallet now." in told(maria)
    assert "Your money was kept apart at first, and is in your wallet now." in told(maria, "cash")
    assert said_to_integrators(deposit) == ("failed", "credited")
    assert balance(maria) == 50_00
    hold_books()


def test_of_kept_money_that_goes_back_the_player_is_told(maria: Player, filipa: User, goncalo: User) -> None:
    deposit, money = kept(maria)
    approve(ask(filipa, money), goncalo)
    assert f"50.00\xa0€ that came for your deposit {deposit} were sent back to where they came from." in told(maria)
    assert "Your money came, could not be added to your wallet, and was sent back." in told(maria, "cash")
    assert said_to_integrators(deposit) == ("failed", "sent_back")
    hold_books()


def test_of_kept_money_that_was_anothers_both_are_told(house: House, filipa: User, goncalo: User) -> None:
    maria, joao = house.player(0, handle="maria"), house.player(0, handle="joao")
    deposit, money = kept(maria)
    approve(ask(filipa, money, joao), goncalo)
    assert f"50.00\xa0€ that came for your deposit {deposit} were found to be another&#x27;s." in told(maria)
    assert "50.00\xa0€ that came for you without saying so are in your wallet now." in told(joao)
    assert "The money that came was found to be another&#x27;s." in told(maria, "cash")
    assert said_to_integrators(deposit) == ("failed", "anothers")


def test_nobody_sends_money_of_his_own_back(maria: Player, filipa: User, goncalo: User) -> None:
    for user in (filipa, maria.user):
        record_document(user=user, document_type=DocumentType.PASSPORT, number="AB 1234", at=NOON)
    _, money = kept(maria)
    with pytest.raises(OwnBenefit):
        ask(filipa, money)
    request = ask(goncalo, money)
    with pytest.raises(OwnBenefit):
        approve(request, filipa)
    assert in_suspense() == 50_00


def test_it_is_sent_back_by_a_transfer_that_names_what_it_undoes(house: House, filipa: User, goncalo: User) -> None:
    money = lost()
    approve(ask(filipa, money), goncalo)
    back = DecidedTransfer.objects.get().transfer
    assert (back.reason, back.corrects, back.credit.kind, in_suspense()) == ("correction", money, "bank", 0)
    assert (open_findings().count(), suspended_transfers().count()) == (0, 0)
    hold_books()


def test_it_leaves_once_whatever_was_asked_for_meanwhile(maria: Player, filipa: User, goncalo: User) -> None:
    money = lost()
    first, second, third = ask(filipa, money, maria), ask(filipa, money), ask(filipa, money, maria)
    approve(first, goncalo)
    for request in (second, third):
        with pytest.raises(ActRefused) as refused:
            approve(request, goncalo)
        assert refused.value.details["because"] == "not_in_suspense"
    with pytest.raises(NotInSuspense):
        ask(filipa, money)
    assert (balance(maria), in_suspense()) == (50_00, 0)
    # Also by whoever writes past the service.
    other = Transfer.objects.exclude(pk__in=DecidedTransfer.objects.values("pk")).exclude(pk=money.pk)[:1]
    with pytest.raises(IntegrityError), transaction.atomic():
        DecidedTransfer.objects.create(transfer=(other or [money])[0], request=second, releases=money)
    hold_books()


def test_whose_money_it_is_and_who_may_not_pay_in(maria: Player, filipa: User, goncalo: User) -> None:
    own = Player.objects.create(user=filipa, handle="filipa", created_at=NOON)
    money = lost()
    with pytest.raises(OwnBenefit):
        ask(filipa, money, own)
    request = ask(goncalo, money, own)
    with pytest.raises(OwnBenefit):
        approve(request, filipa)
    exclude_self(player=maria, term="1 year", at=NOON)
    request = ask(filipa, money, maria)
    with pytest.raises(ActRefused) as refused:
        approve(request, goncalo)
    assert refused.value.details["because"] == "excluded"
    deposit = pay_in(own, 1_00)
    with pytest.raises(NotHisDeposit):
        ask(goncalo, money, maria, deposit)
    # What cannot be his goes back.
    approve(ask(filipa, money), goncalo)
    assert (balance(maria), in_suspense()) == (0, 0)
    hold_books("decided", "flows", "corrections", "balances")


def test_money_whose_finding_was_resolved_is_found_again_until_it_leaves(filipa: User, goncalo: User) -> None:
    money = lost()
    assert reconcile(actor="api:house", at=NOON) == []
    told = Finding.objects.get()
    take_finding(finding_id=told.pk, actor="staff:900001", at=NOON)
    resolve_finding(finding_id=told.pk, text="We shall see.", actor="staff:900001", at=NOON)
    (found,) = reconcile(actor="api:house", at=NOON)
    assert (found.kind, found.amount_cents) == ("suspense", 50_00)
    assert reconcile(actor="api:house", at=NOON) == []
    approve(ask(filipa, money), goncalo)
    assert open_findings().count() == 0
    assert reconcile(actor="api:house", at=LATER) == []


# The pages.


def test_finance_finds_it_and_asks_for_both(maria: Player, filipa: User, goncalo: User) -> None:
    deposit, money = pay_in(maria, 50_00), lost(ours="X7")
    client = staff_client(filipa)
    listed, page = client.get(reverse("staff-suspense")).content.decode(), reverse("staff-suspended", args=[money.pk])
    assert page in listed
    assert "belongs to no request" in listed
    assert "X7" in client.get(page).content.decode()
    for wrong in (
        {"act": "assign", "to": "nobody", "reason": "r"}, {"act": "assign", "to": "D999", "reason": "r"},
        {"act": "keep", "reason": "r"}, {"act": "send-back", "reason": " "},
    ):  # fmt: skip
        assert client.post(page, wrong).status_code == 409, wrong
    assert not FourEyesRequest.objects.exists()
    for right in ({"act": "assign", "to": str(deposit)}, {"act": "assign", "to": "maria"}, {"act": "send-back"}):
        assert client.post(page, {**right, "reason": "r"}).status_code == 302
    asked = list(FourEyesRequest.objects.order_by("id"))
    assert [(one.arguments["player"], one.arguments["deposit"]) for one in asked] == [
        (maria.pk, deposit.pk), (maria.pk, None), (None, None),
    ]  # fmt: skip
    assert f"Request {asked[0].pk}" in client.get(page).content.decode()
    second = staff_client(goncalo)
    told = second.get(reverse("staff:request", args=[asked[0].pk])).content.decode()
    assert f"Give 50.00 EUR of transfer {money.pk} in suspense to player maria, for deposit {deposit}." in told
    second.post(reverse("staff:decide", args=[asked[0].pk]), {"answer": "approve", "reason": "seen"})
    assert balance(maria) == 50_00
    assert client.get(page).status_code == 404


def test_who_may_see_it_and_who_may_ask(house: House) -> None:
    page = reverse("staff-suspended", args=[lost().pk])
    for address in (page, reverse("staff-suspense")):
        assert Client().get(address).status_code == 302
        assert client_of(house.player(0)).get(address).status_code == 302
        for role, status in (("Auditor", 200), ("Support", 200), ("Floor manager", 403)):
            user = add_staff(email=f"{role[:3]}{len(address)}@test.example", full_name=role, roles=[role], at=NOON)
            client = staff_client(user)
            assert client.get(address).status_code == status, role
            assert client.post(address, {"act": "send-back", "reason": "r"}).status_code == 403, role
    assert not FourEyesRequest.objects.exists()
