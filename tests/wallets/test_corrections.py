"""Corrections name what they undo, never come to more than it, and leave a debt where the wallet cannot bear them."""

import pytest
from django.db import IntegrityError, transaction

from tests.house import NOON, House, make_house
from wallets.models import Account, AccountKind, Reason, Transfer, Unit
from wallets.selectors.operator_balances import operator_balance, owed_cents
from wallets.selectors.verification.transfers import FLOWS
from wallets.services.corrections import CorrectionTooLarge, MoreThanOwed, correct_transfer, open_receivable, pay_back
from wallets.services.ledger import (
    BalanceTooLow,
    IdempotencyConflict,
    deposit,
    open_wallet,
    operator_account,
    post_transfer,
    withdraw,
)

from .books import hold_books

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


def correct(first: Transfer, cents: int, key: str | None = None) -> Transfer:
    return correct_transfer(first=first, amount_cents=cents, actor="staff:900001", at=NOON, key=key)


def test_a_transfer_is_undone_in_parts_and_never_beyond_itself(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    part = correct(first, 4_00)
    assert (part.reason, part.corrects, part.debit, part.credit_id) == ("correction", first, wallet, first.debit_id)
    with pytest.raises(CorrectionTooLarge) as refused:
        correct(first, 6_01)
    assert refused.value.details == {"left_cents": 6_00}
    for nothing in (0, -1):
        with pytest.raises(CorrectionTooLarge):
            correct(first, nothing)
    correct(first, 6_00)
    with pytest.raises(CorrectionTooLarge):
        correct(first, 1)
    assert balance(wallet) == 0
    hold_books()


def test_the_same_key_undoes_once(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    part = correct(first, 4_00, key="c-1")
    assert correct(first, 4_00, key="c-1") == part
    for cents in (3_00, 6_00):
        with pytest.raises(IdempotencyConflict):
            correct(first, cents, key="c-1")
    other = deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON, key="d-1")
    with pytest.raises(IdempotencyConflict):
        correct(other, 4_00, key="c-1")
    with pytest.raises(IdempotencyConflict):
        correct(other, 10_00, key="d-1")
    assert balance(wallet) == 16_00


def test_the_database_holds_the_sum_the_way_and_the_accounts(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    correct(first, 4_00)
    house_account = operator_account(kind=AccountKind.HOUSE, unit=Unit.EUR)
    back = {
        "debit": wallet,
        "credit": first.debit,
        "unit": "EUR",
        "actor": "x",
        "created_at": NOON,
        "reason": "correction",
    }
    for wrong in (
        {"amount_cents": 6_01},
        {"amount_cents": 1, "debit": first.debit, "credit": wallet},
        {"amount_cents": 1, "credit": house_account},
    ):
        with pytest.raises(IntegrityError, match=r"^wallets_transfer: a correction goes back"), transaction.atomic():
            Transfer.objects.create(**{**back, **wrong}, corrects=first)
    several = [Transfer(**back, amount_cents=cents, corrects=first) for cents in (3_00, 3_01)]
    with pytest.raises(IntegrityError, match=r"^wallets_transfer: a correction goes back"), transaction.atomic():
        Transfer.objects.bulk_create(several)
    assert first.corrections.count() == 1


def test_what_the_balance_cannot_bear_becomes_a_debt_and_is_taken_from_no_later_money(wallet: Account) -> None:
    prize = post_transfer(
        debit=operator_account(kind=AccountKind.HOUSE, unit=Unit.EUR), credit=wallet, amount_cents=36_00,
        reason=Reason.PRIZE, actor="system", at=NOON,
    )  # fmt: skip
    withdraw(wallet=wallet, amount_cents=26_00, actor="system", at=NOON)
    correct(prize, 36_00)
    assert wallet.player is not None
    receivable = open_receivable(player=wallet.player, unit=Unit.EUR)
    assert (balance(wallet), owed_cents(receivable.pk)) == (0, 26_00)
    lent = Transfer.objects.get(reason=Reason.RECEIVABLE)
    assert (lent.debit, lent.credit, lent.corrects, lent.amount_cents) == (receivable, wallet, prize, 26_00)
    deposit(wallet=wallet, amount_cents=50_00, actor="system", at=NOON)
    assert (balance(wallet), owed_cents(receivable.pk)) == (50_00, 26_00)

    def back(cents: int, key: str) -> Transfer:
        return pay_back(
            player=wallet.player,
            unit=Unit.EUR,
            amount_cents=cents,
            actor=f"player:{wallet.player_id}",
            at=NOON,
            key=key,
        )

    for cents in (26_01, 0, -1):
        with pytest.raises(MoreThanOwed):
            back(cents, "r-0")
    first = back(20_00, "r-1")
    assert back(20_00, "r-1") == first
    back(6_00, "r-2")
    assert (balance(wallet), owed_cents(receivable.pk)) == (24_00, 0)
    # A replay is answered also when nothing is owed any more.
    assert back(20_00, "r-1") == first
    with pytest.raises(MoreThanOwed):
        back(1, "r-3")
    hold_books()


def test_chips_have_no_debt(wallet: Account) -> None:
    chips = Account.objects.create(kind=AccountKind.CHIPS, unit="EUR", player=wallet.player, balance_cents=0)
    deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON)
    out = post_transfer(debit=wallet, credit=chips, amount_cents=5_00, reason=Reason.CHIPS_OUT, actor="system", at=NOON)
    post_transfer(debit=chips, credit=wallet, amount_cents=1_00, reason=Reason.CHIPS_IN, actor="system", at=NOON)
    with pytest.raises(BalanceTooLow):
        correct(out, 5_00)
    assert not Transfer.objects.filter(reason=Reason.CORRECTION).exists()


def test_a_correction_is_itself_corrected(wallet: Account) -> None:
    first = deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    mistaken = correct(first, 10_00)
    correct(mistaken, 10_00)
    assert balance(wallet) == 10_00
    hold_books()


def test_every_reason_moves_money_along_each_of_its_ways_and_verify_knows_them(house: House, wallet: Account) -> None:
    """One transfer a way, through the ledger; what in play would hold at a table is not asked here."""
    assert {*FLOWS, Reason.CORRECTION} == set(Reason)
    deposit(wallet=wallet, amount_cents=1000_00, actor="system", at=NOON)

    def account(kind: AccountKind) -> Account:
        match kind:
            case AccountKind.WALLET:
                return wallet
            case AccountKind.CHIPS:
                return Account.objects.get_or_create(
                    kind=kind, unit="EUR", player=wallet.player, defaults={"balance_cents": 0}
                )[0]
            case AccountKind.RECEIVABLE:
                return open_receivable(player=wallet.player, unit=Unit.EUR)
            case AccountKind.FLOAT | AccountKind.TIPS | AccountKind.IN_PLAY:
                return Account.objects.filter(kind=kind, unit="EUR").first() or Account.objects.create(
                    kind=kind, unit="EUR"
                )
        return operator_account(kind=kind, unit=Unit.EUR)

    chips_first = sorted(FLOWS.items(), key=lambda flow: flow[0] != Reason.CHIPS_OUT)
    for reason, ways in chips_first:
        for debit, credit in ways:
            post_transfer(
                debit=account(debit), credit=account(credit), amount_cents=10_00, reason=reason, actor="system", at=NOON
            )
    hold_books("flows", "balances", "units", "receivables", "corrections")
    total = sum(
        one.balance_cents if one.balance_cents is not None else operator_balance(one.pk)
        for one in Account.objects.filter(unit="EUR")
    )
    assert total == 0
