"""Who may pay in and be paid out, where the money moves."""

import datetime as dt
from typing import Any

import pytest
from django.conf import settings

from roulette_site.common.errors import RuleBroken
from tests.house import NOON, House, make_house
from wallets.models import (
    Account,
    CashKind,
    CashRequest,
    KycState,
    LimitKind,
    LimitPeriod,
    NoticeOutcome,
    Player,
    Standing,
    Unit,
)
from wallets.services.cash_requests import start_deposit
from wallets.services.cash_steps import expire_deposits
from wallets.services.exclusion import exclude_self
from wallets.services.ledger import deposit, open_wallet
from wallets.services.limits import set_operator_limit, set_own_limit
from wallets.services.notices import Told, take_notice
from wallets.services.people import add_player
from wallets.services.permission_to_pay import (
    TEST_ACCOUNT_CAP_CENTS,
    DepositLimitReached,
    check_deposit,
    check_withdrawal,
)
from wallets.services.standing import set_kyc_state, set_standing

pytestmark = pytest.mark.django_db
BY_STAFF: dict[str, Any] = {"reason": "a report", "actor": "staff:900001", "at": NOON}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(balance_cents=0)


def refused(check: Any, player: Player, cents: int = 10_00, at: dt.datetime = NOON) -> str:
    with pytest.raises(RuleBroken) as error:
        check(player=player, amount_cents=cents, at=at)
    return error.value.code


def limit(player: Player, period: LimitPeriod, value: int) -> None:
    set_own_limit(player=player, kind=LimitKind.DEPOSIT, period=period, value=value, at=NOON)


def test_who_is_excluded_pays_nothing_in_and_is_paid_out(maria: Player) -> None:
    exclude_self(player=maria, term="24 hours", at=NOON)
    assert refused(check_deposit, maria) == "excluded"
    check_withdrawal(player=maria, amount_cents=10_00, at=NOON)
    check_deposit(player=maria, amount_cents=10_00, at=NOON + dt.timedelta(hours=24))


def test_who_is_not_verified_is_not_paid_out(maria: Player) -> None:
    set_kyc_state(player=maria, state=KycState.EXPIRED, **BY_STAFF)
    assert refused(check_withdrawal, maria) == "not_verified"
    check_deposit(player=maria, amount_cents=10_00, at=NOON)


@pytest.mark.parametrize(
    ("standing", "code"), [(Standing.SUSPENDED, "account_suspended"), (Standing.CLOSED, "account_closed")]
)
def test_an_account_out_of_use_takes_and_gives_nothing(maria: Player, standing: Standing, code: str) -> None:
    set_standing(player=maria, standing=standing, **BY_STAFF)
    # What the caller had read before says nothing.
    assert maria.standing == Standing.ACTIVE
    assert refused(check_deposit, maria) == refused(check_withdrawal, maria) == code


def test_deposits_are_limited_by_the_players_own_day_week_and_month(maria: Player) -> None:
    wallet = open_wallet(player=maria, unit=Unit.EUR)
    limit(maria, LimitPeriod.DAY, 50_00)
    limit(maria, LimitPeriod.WEEK, 70_00)
    deposit(wallet=wallet, amount_cents=40_00, actor="system", at=NOON)
    with pytest.raises(RuleBroken) as error:
        check_deposit(player=maria, amount_cents=10_01, at=NOON)
    assert error.value.details == {"period": "day", "left_cents": 10_00}
    check_deposit(player=maria, amount_cents=10_00, at=NOON)
    # In Lisbon it is the next day at 23:00, of the same week.
    tomorrow = dt.datetime(2026, 6, 15, 23, 0, tzinfo=dt.UTC)
    with pytest.raises(RuleBroken) as error:
        check_deposit(player=maria, amount_cents=30_01, at=tomorrow)
    assert error.value.details == {"period": "week", "left_cents": 30_00}
    check_deposit(player=maria, amount_cents=30_00, at=tomorrow)
    check_deposit(player=maria, amount_cents=50_00, at=NOON + dt.timedelta(days=7))


def test_what_is_on_its_way_counts_before_another_deposit_begins_and_not_when_it_comes(maria: Player) -> None:
    limit(maria, LimitPeriod.DAY, 50_00)

    def begin(cents: int) -> CashRequest:
        key = f"k{cents}:{CashRequest.objects.count()}"
        return start_deposit(
            player=maria, amount_cents=cents, provider="bank", key=key, actor=f"player:{maria.pk}", at=NOON
        ).request

    first = begin(30_00)
    with pytest.raises(RuleBroken) as error:
        begin(20_01)
    assert error.value.details == {"period": "day", "left_cents": 20_00, "on_its_way_cents": 30_00}
    assert error.value.message == "The deposit limit leaves 20.00 for today. 30.00 are on their way."
    second = begin(20_00)
    # Both come, each counted once: what kept to the limit when it began is credited.
    for one in (first, second):
        told = Told("bank", f"b-{one}", str(one), CashKind.DEPOSIT, NoticeOutcome.PAID, one.amount_cents, "EUR")
        assert take_notice(told=told, actor="provider:bank", at=NOON).notice.verdict == "applied"
    assert Account.objects.get(player=maria, unit=Unit.EUR).balance_cents == 50_00
    tomorrow = NOON + dt.timedelta(days=1)
    check_deposit(player=maria, amount_cents=50_00, at=tomorrow, is_beginning=True)


def test_a_deposit_that_expires_counts_no_more(maria: Player) -> None:
    limit(maria, LimitPeriod.DAY, 50_00)
    start_deposit(player=maria, amount_cents=50_00, provider="bank", key="k", actor="api:x", at=NOON)
    # It may still come, on whatever day.
    later = NOON + dt.timedelta(hours=settings.DEPOSIT_EXPIRES_HOURS)
    with pytest.raises(DepositLimitReached):
        check_deposit(player=maria, amount_cents=1, at=later, is_beginning=True)
    assert expire_deposits(at=later) == 1
    check_deposit(player=maria, amount_cents=50_00, at=later, is_beginning=True)


def test_the_stricter_of_both_sides_holds(maria: Player) -> None:
    limit(maria, LimitPeriod.MONTH, 100_00)
    set_operator_limit(player=maria, kind=LimitKind.DEPOSIT, period=LimitPeriod.MONTH, value=20_00, **BY_STAFF)
    assert refused(check_deposit, maria, 20_01) == "deposit_limit_reached"
    check_deposit(player=maria, amount_cents=20_00, at=NOON)


def test_a_test_account_holds_little(house: House) -> None:
    trying = add_player(email="try@test.example", full_name="Try", handle="try", is_test=True, at=NOON)
    wallet = open_wallet(player=trying, unit=Unit.EUR)
    deposit(wallet=wallet, amount_cents=10_00, actor="system", at=NOON)
    check_deposit(player=trying, amount_cents=TEST_ACCOUNT_CAP_CENTS - 10_00, at=NOON)
    assert refused(check_deposit, trying, TEST_ACCOUNT_CAP_CENTS - 10_00 + 1) == "test_account_capped"
    assert Account.objects.get(player=trying).balance_cents == 10_00
