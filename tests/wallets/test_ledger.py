"""Moving money: never below zero, each key once, and every balance the sum of its transfers."""

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.house import NOON, House, make_house
from wallets.models import Account, Reason, Transfer, Unit
from wallets.services.ledger import (
    BalanceTooLow,
    IdempotencyConflict,
    deposit,
    lock_accounts,
    open_wallet,
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
    came = deposit(wallet=wallet, amount_cents=50_00, actor="t", at=NOON)
    went = withdraw(wallet=wallet, amount_cents=20_00, actor="t", at=NOON)
    assert balance(wallet) == 30_00
    assert (came.reason, came.credit, went.reason, went.debit) == (Reason.DEPOSIT, wallet, Reason.WITHDRAWAL, wallet)


def test_more_than_there_is_does_not_go_out(wallet: Account) -> None:
    deposit(wallet=wallet, amount_cents=5_00, actor="t", at=NOON)
    with pytest.raises(BalanceTooLow) as refused:
        withdraw(wallet=wallet, amount_cents=5_01, actor="t", at=NOON)
    assert refused.value.details == {"balance_cents": 5_00}
    assert balance(wallet) == 5_00


def test_a_key_moves_money_once_and_never_something_else(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=5_00, actor="t", at=NOON, key="k-1")
    assert deposit(wallet=wallet, amount_cents=5_00, actor="t", at=NOON, key="k-1") == first
    with pytest.raises(IdempotencyConflict):
        deposit(wallet=wallet, amount_cents=6_00, actor="t", at=NOON, key="k-1")
    with pytest.raises(IdempotencyConflict):
        withdraw(wallet=wallet, amount_cents=5_00, actor="t", at=NOON, key="k-1")
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
            (deposit if is_deposit else withdraw)(wallet=wallet, amount_cents=cents, actor="t", at=NOON)
        except BalanceTooLow:
            continue
    came = sum(Transfer.objects.filter(credit=wallet).values_list("amount_cents", flat=True))
    went = sum(Transfer.objects.filter(debit=wallet).values_list("amount_cents", flat=True))
    assert balance(wallet) == came - went >= 0
