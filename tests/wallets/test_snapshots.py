"""Snapshots of gaming days: folded day on day, once, from the rows between, and balances that begin at the last one."""

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from roulette_site.common.models import Operator
from tests.house import NOON, House, make_house
from wallets.models import Account, AccountKind, AccountSnapshot, Transfer, Unit
from wallets.selectors.operator_balances import operator_balance
from wallets.services.ledger import deposit, open_wallet, operator_account, withdraw
from wallets.services.snapshots import (
    SETTLING,
    DayNotOver,
    DayOutOfOrder,
    snapshot_gaming_day,
    snapshot_missing_days,
)

from .books import hold_books

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def wallet(house: House) -> Account:
    return open_wallet(player=house.player(0), unit=Unit.EUR)


def rule():
    return Operator.objects.get().gaming_day_rule


def bank() -> Account:
    return operator_account(kind=AccountKind.BANK, unit=Unit.EUR)


def test_days_are_folded_one_on_the_other_and_made_once(wallet: Account) -> None:
    first = rule().day_of(NOON)
    deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    last = withdraw(wallet=wallet, amount_cents=3_00, actor="system", at=NOON + dt.timedelta(hours=1))
    deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON + 2 * DAY)
    at = NOON + 3 * DAY
    assert snapshot_missing_days(rule=rule(), at=at) == [first, first + DAY, first + 2 * DAY]
    assert snapshot_missing_days(rule=rule(), at=at) == []
    made = AccountSnapshot.objects.filter(account=bank()).order_by("gaming_day")
    assert list(made.values_list("balance_cents", flat=True)) == [-7_00, -7_00, -12_00]
    assert made[0].last_transfer == made[1].last_transfer == last
    assert not AccountSnapshot.objects.exclude(account__balance_cents__isnull=True).exists()
    hold_books("snapshots")


def test_the_fast_balance_is_the_last_snapshot_and_what_came_since(wallet: Account) -> None:
    deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    assert operator_balance(bank().pk) == -10_00
    snapshot_missing_days(rule=rule(), at=NOON + DAY)
    assert operator_balance(bank().pk) == -10_00
    withdraw(wallet=wallet, amount_cents=4_00, actor="system", at=NOON + DAY)
    # Told with an hour of the day before: it belongs to the day in whose rows it stands, and is lost in neither.
    deposit(wallet=wallet, amount_cents=1_00, actor="system", at=NOON)
    assert operator_balance(bank().pk) == -7_00
    snapshot_missing_days(rule=rule(), at=NOON + 2 * DAY)
    assert operator_balance(bank().pk) == -7_00
    assert operator_balance(operator_account(kind=AccountKind.SUSPENSE, unit=Unit.EUR).pk) == 0
    hold_books("snapshots")


def test_a_day_is_over_a_little_after_its_end_and_not_before(wallet: Account) -> None:
    deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    day = rule().day_of(NOON)
    end = rule().bounds_of(day)[1]
    with pytest.raises(DayNotOver):
        snapshot_gaming_day(day=day, rule=rule(), at=end + SETTLING - dt.timedelta(seconds=1))
    assert snapshot_missing_days(rule=rule(), at=end) == []
    assert snapshot_gaming_day(day=day, rule=rule(), at=end + SETTLING) == 1
    assert snapshot_gaming_day(day=day, rule=rule(), at=end + SETTLING) == 0
    for other in (day - DAY, day + 2 * DAY):
        with pytest.raises(DayOutOfOrder):
            snapshot_gaming_day(day=other, rule=rule(), at=end + 9 * DAY)
    assert AccountSnapshot.objects.count() == 1


def test_before_the_first_transfer_there_is_nothing_to_make(house: House) -> None:
    assert not Transfer.objects.exists()
    assert snapshot_missing_days(rule=rule(), at=NOON + 9 * DAY) == []
    assert snapshot_gaming_day(day=rule().day_of(NOON), rule=rule(), at=NOON + 9 * DAY) == 0


def test_a_day_of_twenty_three_hours_ends_when_it_ends(wallet: Account) -> None:
    # In Lisbon the clocks went forward in the night to 29 March 2026: the day that began on the 28th has 23 hours.
    end = rule().bounds_of(dt.date(2026, 3, 28))[1]
    assert end == dt.datetime(2026, 3, 29, 5, 0, tzinfo=dt.UTC)
    deposit(wallet=wallet, amount_cents=10_00, actor="system", at=end - dt.timedelta(seconds=1))
    deposit(wallet=wallet, amount_cents=1_00, actor="system", at=end)
    snapshot_missing_days(rule=rule(), at=end + 2 * DAY)
    made = AccountSnapshot.objects.filter(account=bank()).order_by("gaming_day").values_list("balance_cents", flat=True)
    assert list(made) == [-10_00, -11_00]


def test_a_day_reads_only_the_transfers_since_the_day_before(wallet: Account) -> None:
    for days in range(3):
        deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON + days * DAY)
    snapshot_missing_days(rule=rule(), at=NOON + 2 * DAY)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        snapshot_missing_days(rule=rule(), at=NOON + 3 * DAY)
    reads = [one["sql"] for one in asked if "wallets_transfer" in one["sql"] and "account_id" in one["sql"]]
    after = AccountSnapshot.objects.filter(gaming_day=rule().day_of(NOON + DAY)).values_list("last_transfer", flat=True)
    assert reads
    assert all(f"id > {after[0]}" in sql for sql in reads)


def test_the_command_makes_them_and_says_which(wallet: Account) -> None:
    deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    out = StringIO()
    call_command("snapshot_days", stdout=out)
    assert "2026-06-15" in out.getvalue()
    out = StringIO()
    call_command("snapshot_days", stdout=out)
    assert out.getvalue() == "Days that have snapshots now: 0 more.\n"
    Operator.objects.all().delete()
    with pytest.raises(CommandError, match="not set up"):
        call_command("snapshot_days")
