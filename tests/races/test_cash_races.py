"""Races of the cash desk on PostgreSQL: shown with the lock taken away, and then shown to be gone."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from roulette_site.common import guards
from roulette_site.common.models import Operator
from tests.house import NOON, House, make_house
from tests.races.racing import at_once
from wallets.models import (
    Account,
    AccountKind,
    AccountSnapshot,
    CashKind,
    CashRequest,
    NoticeOutcome,
    Player,
    ProviderNotice,
    Reason,
    Transfer,
    Unit,
)
from wallets.selectors.operator_balances import operator_balance
from wallets.services import cash_requests, corrections, ledger, snapshots
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal
from wallets.services.corrections import CorrectionTooLarge, correct_transfer
from wallets.services.ledger import BalanceTooLow, deposit, open_wallet, operator_account, post_transfer
from wallets.services.notices import Told, take_notice
from wallets.services.snapshots import TransfersStillOpen, snapshot_missing_days

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
THREADS = 8
TRIES = 5


@pytest.fixture
def house() -> House:
    return make_house()


def wallet_of(player: Player) -> Account:
    return open_wallet(player=player, unit=Unit.EUR)


def withdraw_all(player: Player, cents: int, key: str) -> object:
    return request_withdrawal(
        player=player, amount_cents=cents, provider="bank", key=key, actor="system", at=NOON
    ).request


def look_without_lock(*account_ids: int) -> dict[int, Account]:
    found = Account.objects.in_bulk(account_ids)
    time.sleep(0.05)
    return found


def test_eight_withdrawals_for_one_balance(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(TRIES):
        maria = house.player(100_00)
        answers = at_once(
            *[lambda n=n, p=maria, t=number: withdraw_all(p, 60_00, f"w:{t}:{n}") for n in range(THREADS)]
        )
        assert sum(isinstance(one, CashRequest) for one in answers) == 1, answers
        assert sum(isinstance(one, BalanceTooLow) for one in answers) == THREADS - 1, answers
        assert wallet_of(maria).balance_cents == 40_00
    pending = operator_account(kind=AccountKind.PENDING, unit=Unit.EUR)
    assert operator_balance(pending.pk) == TRIES * 60_00
    call_command("verify")

    with monkeypatch.context() as patched:
        patched.setattr(cash_requests, "lock_accounts", look_without_lock)
        patched.setattr(ledger, "lock_accounts", look_without_lock)
        joao = house.player(100_00)
        answers = at_once(*[lambda n=n: withdraw_all(joao, 60_00, f"x:{n}") for n in range(THREADS)])
    # Behind the lock stands the database's own CHECK, which tells the player nothing.
    assert any(isinstance(one, IntegrityError) for one in answers), "without the lock both see the whole balance"
    assert wallet_of(joao).balance_cents == 40_00


def test_one_withdrawal_sent_eight_times_is_one(house: House) -> None:
    for number in range(TRIES):
        maria = house.player(100_00)
        answers = at_once(*[lambda p=maria, t=number: withdraw_all(p, 60_00, f"same:{t}")] * THREADS)
        assert len({one.pk for one in answers}) == 1, answers
        assert wallet_of(maria).balance_cents == 40_00
    call_command("verify")


def test_a_notice_that_comes_eight_times_at_once_counts_once(house: House) -> None:
    for number in range(TRIES):
        maria = house.player(0)
        request = start_deposit(
            player=maria, amount_cents=25_00, provider="bank", key=f"d:{number}", actor="system", at=NOON
        ).request
        known = Told("bank", f"p-{number}", str(request), CashKind.DEPOSIT, NoticeOutcome.PAID, 25_00, "EUR")
        unknown = Told("bank", f"q-{number}", "", CashKind.DEPOSIT, NoticeOutcome.PAID, 25_00, "EUR")
        for told in (known, unknown):
            answers = at_once(*[lambda told=told: take_notice(told=told, actor="system", at=NOON)] * THREADS)
            assert len({one.notice.pk for one in answers}) == 1, answers
            assert sum(not one.repeated for one in answers) == 1, answers
        assert wallet_of(maria).balance_cents == 25_00
    assert ProviderNotice.objects.count() == 2 * TRIES
    call_command("verify")


def test_a_withdrawal_is_sent_once_by_eight_workers(house: House) -> None:
    for number in range(TRIES):
        request = withdraw_all(house.player(100_00), 60_00, f"s:{number}")
        approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
        answers = at_once(*[lambda r=request: send_withdrawal(request_id=r.pk, now=lambda: NOON)] * THREADS)
        assert answers == [None] * THREADS
        assert list(request.steps.order_by("id").values_list("to_state", flat=True)) == [
            "requested",
            "approved",
            "sent",
        ]


def correct_half_twice(first: Transfer) -> list[object]:
    return at_once(*[lambda: correct_transfer(first=first, amount_cents=6_00, actor="staff:900001", at=NOON)] * 2)


def open_float() -> Transfer:
    house = operator_account(kind=AccountKind.HOUSE, unit=Unit.EUR)
    a_float = Account.objects.create(kind=AccountKind.FLOAT, unit=Unit.EUR)
    return post_transfer(
        debit=house, credit=a_float, amount_cents=10_00, reason=Reason.FLOAT_OPEN, actor="staff:900001", at=NOON
    )


def test_two_partial_corrections_at_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(TRIES):
        wallet = wallet_of(house.player(0))
        answers = correct_half_twice(deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON))
        assert sum(isinstance(one, CorrectionTooLarge) for one in answers) == 1, answers
        wallet.refresh_from_db()
        assert wallet.balance_cents == 4_00
    # Between accounts without a balance nobody's lock lets one wait but the correction's own.
    answers = correct_half_twice(open_float())
    assert sum(isinstance(one, CorrectionTooLarge) for one in answers) == 1, answers
    call_command("verify")

    with monkeypatch.context() as patched:
        patched.setattr(corrections, "lock_corrections_of", lambda first: time.sleep(0))
        patched.setattr(corrections, "_check", lambda first, cents: time.sleep(0.05))
        answers = correct_half_twice(open_float())
    assert sum(isinstance(one, IntegrityError) for one in answers) == 1, (
        "the guard holds where the service does not look"
    )
    call_command("verify")


def test_a_snapshot_waits_for_transfers_that_are_not_committed_yet(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An id is given out before its transaction ends: whoever reads up to a later one must not pass it over."""
    rule, after = Operator.objects.get().gaming_day_rule, NOON.replace(day=18)
    # Made before: two who make it at once wait for each other.
    bank = operator_account(kind=AccountKind.BANK, unit=Unit.EUR)
    written, done = threading.Event(), threading.Event()
    slow, quick = wallet_of(house.player(0)), wallet_of(house.player(0))

    def deposit_slowly() -> None:
        try:
            with transaction.atomic():
                deposit(wallet=slow, amount_cents=10_00, actor="system", at=NOON)
                written.set()
                done.wait(20)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(deposit_slowly)
        assert written.wait(20)
        deposit(wallet=quick, amount_cents=1_00, actor="system", at=NOON)
        monkeypatch.setattr(snapshots, "WAIT_SECONDS", 0.3)
        with pytest.raises(TransfersStillOpen):
            snapshot_missing_days(rule=rule, at=after)
        assert not AccountSnapshot.objects.exists()
        done.set()
        writing.result()
    snapshot_missing_days(rule=rule, at=after)
    first = AccountSnapshot.objects.filter(account=bank).order_by("gaming_day")[0]
    assert first.balance_cents == -11_00
    call_command("verify")


def test_snapshots_made_eight_times_at_once_are_made_once(house: House) -> None:
    deposit(wallet=wallet_of(house.player(0)), amount_cents=10_00, actor="system", at=NOON)
    rule, after = Operator.objects.get().gaming_day_rule, NOON.replace(day=18)
    answers = at_once(*[lambda: snapshot_missing_days(rule=rule, at=after)] * THREADS)
    assert not [one for one in answers if isinstance(one, Exception)], answers
    assert AccountSnapshot.objects.count() == 3
    assert guards.find_missing(connection) == []
    call_command("verify")


def test_deposits_of_many_players_wait_for_no_account_of_the_operators(house: House) -> None:
    maria, joao = wallet_of(house.player(0)), wallet_of(house.player(0))
    operator_account(kind=AccountKind.BANK, unit=Unit.EUR)

    def deposit_for_joao() -> object:
        return deposit(wallet=joao, amount_cents=1_00, actor="system", at=NOON)

    def in_thread() -> object:
        try:
            return deposit_for_joao()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        deposit(wallet=maria, amount_cents=1_00, actor="system", at=NOON)
        assert isinstance(pool.submit(in_thread).result(timeout=10), Transfer)
