"""Moving money: never below zero, each key once, and every balance the sum of its transfers."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.house import NOON, House, make_house
from wallets.models import Account, AccountKind, Reason, Transfer, Unit
from wallets.services.ledger import (
    BalanceTooLow,
    IdempotencyConflict,
    deposit,
    lock_accounts,
    open_wallet,
    operator_account,
    withdraw,
)  # fmt: skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def wallet(house: House) -> Account:
    return open_wallet(player=house.player(0), unit=Unit.EUR)


def balance(wallet: Account) -> int:
    wallet.refresh_from_db()
    assert wallet.balance_cents is not None
    return wallet.balance_cents


def test_money_comes_in_and_goes_out(wallet: Account) -> None:
    came = deposit(wallet=wallet, amount_cents=50_00, actor="system", at=NOON)
    went = withdraw(wallet=wallet, amount_cents=20_00, actor="system", at=NOON)
    assert balance(wallet) == 30_00
    assert (came.reason, came.credit, went.reason, went.debit) == (Reason.DEPOSIT, wallet, Reason.WITHDRAWAL, wallet)


def test_more_than_there_is_does_not_go_out(wallet: Account) -> None:
    deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON)
    with pytest.raises(BalanceTooLow) as refused:
        withdraw(wallet=wallet, amount_cents=5_01, actor="system", at=NOON)
    assert refused.value.details == {"balance_cents": 5_00}
    assert balance(wallet) == 5_00


def test_a_key_moves_money_once_and_never_something_else(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON, key="k-1")
    assert deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON, key="k-1") == first
    with pytest.raises(IdempotencyConflict):
        deposit(wallet=wallet, amount_cents=6_00, actor="system", at=NOON, key="k-1")
    with pytest.raises(IdempotencyConflict):
        withdraw(wallet=wallet, amount_cents=5_00, actor="system", at=NOON, key="k-1")
    assert balance(wallet) == 5_00


def test_a_player_has_one_wallet_a_unit(wallet: Account) -> None:
    assert wallet.player is not None
    assert open_wallet(player=wallet.player, unit=Unit.EUR) == wallet
    assert open_wallet(player=wallet.player, unit=Unit.DEMO) != wallet


@pytest.mark.django_db(transaction=True)
def test_accounts_are_locked_inside_a_transaction_only(house: House) -> None:
    wallet = open_wallet(player=house.player(0), unit=Unit.EUR)
    assert not connection.in_atomic_block
    with pytest.raises(AssertionError):
        lock_accounts(wallet.pk)
    with transaction.atomic():
        assert list(lock_accounts(wallet.pk)) == [wallet.pk]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 500)), max_size=12))
def test_a_balance_is_the_sum_of_its_transfers(wallet: Account, moves: list[tuple[bool, int]]) -> None:
    for is_deposit, cents in moves:
        try:
            (deposit if is_deposit else withdraw)(wallet=wallet, amount_cents=cents, actor="system", at=NOON)
        except BalanceTooLow:
            continue
    came = sum(Transfer.objects.filter(credit=wallet).values_list("amount_cents", flat=True))
    went = sum(Transfer.objects.filter(debit=wallet).values_list("amount_cents", flat=True))
    assert balance(wallet) == came - went >= 0


def refused(act: Callable[[], object], constraint: str) -> None:
    """SQLite and PostgreSQL both name the CHECK that refuses; nothing of the act stays."""
    before = list(Transfer.objects.values()), list(Account.objects.order_by("id").values())
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        act()
    assert (list(Transfer.objects.values()), list(Account.objects.order_by("id").values())) == before


@pytest.mark.parametrize("cents", [0, -1, -5_00])
def test_no_transfer_moves_nothing_or_less(wallet: Account, cents: int) -> None:
    deposit(wallet=wallet, amount_cents=50_00, actor="system", at=NOON)
    for act in (deposit, withdraw):
        refused(
            lambda act=act: act(wallet=wallet, amount_cents=cents, actor="system", at=NOON), "transfer_amount_positive"
        )


def test_a_correction_names_what_it_corrects_and_nothing_else_does(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=50_00, actor="system", at=NOON)
    back = {
        "debit": wallet, "credit": first.debit, "amount_cents": 50_00, "unit": "EUR", "actor": "staff:900001", "created_at": NOON,
    }  # fmt: skip
    named = "transfer_correction_names_the_first"
    refused(lambda: Transfer.objects.create(**back, reason=Reason.CORRECTION), named)
    refused(lambda: Transfer.objects.create(**back, reason=Reason.WITHDRAWAL, corrects=first), named)
    correction = Transfer.objects.create(**back, reason=Reason.CORRECTION, corrects=first)
    assert list(first.corrections.all()) == [correction]


def test_a_reason_is_one_of_those_that_are_known(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=50_00, actor="system", at=NOON)
    unknown = Transfer(
        debit=first.debit, credit=wallet, amount_cents=1, unit="EUR", reason="a gift", actor="system", created_at=NOON
    )  # fmt: skip
    refused(unknown.save, "transfer_reason_known")


def test_players_have_one_wallet_a_unit_and_the_operator_one_account_of_a_kind(house: House, wallet: Account) -> None:
    # PostgreSQL names the constraint; on SQLite the guard against REPLACE looks at the same columns and is first.
    unique = "account_one_|wallets_account: rows are never replaced"
    refused(lambda: Account.objects.create(kind="wallet", unit="EUR", player=wallet.player, balance_cents=0), unique)
    operator_account(kind=AccountKind.BANK, unit=Unit.EUR)
    for kind in ("house", "bank"):
        refused(lambda kind=kind: Account.objects.create(kind=kind, unit="EUR"), unique)
        assert operator_account(kind=AccountKind(kind), unit=Unit.EUR).balance_cents is None


def test_players_accounts_carry_a_balance_and_the_operators_none(house: House, wallet: Account) -> None:
    other = house.player(0).pk
    for values, constraint in (
        ({"kind": "wallet", "unit": "DEMO", "player_id": other, "balance_cents": -1}, "account_balance_not_negative"),
        ({"kind": "wallet", "unit": "DEMO", "player_id": other}, "account_balance_not_negative"),
        ({"kind": "wallet", "unit": "DEMO", "balance_cents": 0}, "account_player_where_due"),
        ({"kind": "in_play", "unit": "EUR", "balance_cents": 0}, "account_balance_not_negative"),
        ({"kind": "in_play", "unit": "EUR", "player_id": other}, "account_player_where_due"),
        ({"kind": "purse", "unit": "EUR"}, "account_kind_known"),
        ({"kind": "in_play", "unit": "USD"}, "account_unit_known"),
    ):
        refused(lambda values=values: Account.objects.create(**values), constraint)
    refused(lambda: Account.objects.filter(pk=wallet.pk).update(balance_cents=-1), "account_balance_not_negative")


def test_a_key_of_another_wallet_is_refused(house: House, wallet: Account) -> None:
    other = open_wallet(player=house.player(0), unit=Unit.EUR)
    deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON, key="k-1")
    with pytest.raises(IdempotencyConflict):
        deposit(wallet=other, amount_cents=5_00, actor="system", at=NOON, key="k-1")
    assert (balance(wallet), balance(other)) == (5_00, 0)
