"""A provider that answers late, twice or never: an unknown outcome is held."""

import datetime as dt
from typing import Any

import pytest

from tests.house import BY_TWO, NOON, House
from tests.wallets.books import hold_books
from tests.wallets.providers import CODE, FickleProvider, NoAnswer
from wallets import providers
from wallets.models import (
    AccountKind,
    CashKind,
    CashRequest,
    CashState,
    Finding,
    NoticeOutcome,
    Player,
    ProviderNotice,
    Transfer,
)
from wallets.providers import Answer, Outcome
from wallets.services.cash_sending import PATIENCE, ask_providers, begin_deposit, send_withdrawal
from wallets.services.cash_steps import (
    StepNotAllowed,
    approve_withdrawal,
    confirm_payment,
    expire_deposits,
    mark_failed,
    take_step,
)
from wallets.services.closing import begin_closing
from wallets.services.ledger import deposit
from wallets.services.notices import Told, take_notice
from wallets.services.reconciliation import reconcile

from .asking import balance, of_operator, pay_in, sent, state, take_out, tell, wallet_of

pytestmark = pytest.mark.django_db


def test_no_answer_is_held_and_never_refunded_by_itself(maria: Player, fickle: FickleProvider) -> None:
    fickle.next_answer = NoAnswer("the line broke")
    request = sent(maria, 40_00, provider=CODE)
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("unknown", 60_00, 40_00)
    for days in range(30):
        ask_providers(now=lambda days=days: NOON + dt.timedelta(days=days))
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("unknown", 60_00, 40_00)
    assert [question for question, _ in fickle.asked].count("pay_out") == 1
    # In the end somebody knows.
    fickle.next_answer = Answer(Outcome.PAID, "F-1", 40_00, "EUR")
    ask_providers(now=lambda: NOON)
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("paid", 60_00, 0)


def test_an_answer_that_comes_late_and_twice_pays_once(maria: Player, fickle: FickleProvider) -> None:
    request = sent(maria, 40_00, provider=CODE)
    assert state(request) == "sent"
    fickle.next_answer = Answer(Outcome.PAID, "F-1", 40_00, "EUR")
    for _ in range(2):
        ask_providers(now=lambda: NOON)
        tell(request, reference="F-1")
    assert (state(request), of_operator(AccountKind.PENDING), ProviderNotice.objects.count()) == ("paid", 0, 1)
    assert not Finding.objects.exists()


@pytest.mark.parametrize(
    "answer",
    [None, "paid", Answer(Outcome.UNKNOWN), Answer(Outcome.PAID), Answer(Outcome.PAID, "F 1", 40_00, "EUR"),
     Answer(Outcome.PAID, "F-1", 0, "EUR"), Answer(Outcome.PAID, "F-1", 40_00, "euros"), OSError("reset")],
)  # fmt: skip
def test_what_is_no_definite_answer_leaves_the_money_held(
    maria: Player, fickle: FickleProvider, answer: object
) -> None:
    fickle.next_answer = answer
    request = sent(maria, 40_00, provider=CODE)
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("unknown", 60_00, 40_00)


def test_a_definite_refusal_gives_the_money_back(maria: Player, fickle: FickleProvider) -> None:
    fickle.next_answer = Answer(Outcome.REFUSED, reason="closed")
    request = sent(maria, 40_00, provider=CODE)
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("refused", 100_00, 0)


def test_a_withdrawal_is_sent_once_however_many_workers_take_it(maria: Player, fickle: FickleProvider) -> None:
    request = sent(maria, 40_00, provider=CODE)
    for _ in range(3):
        send_withdrawal(request_id=request.pk, now=lambda: NOON)
        ask_providers(now=lambda: NOON)
    assert [question for question, _ in fickle.asked].count("pay_out") == 1
    assert fickle.asked[0][1].reference == request.reference
    unsent = take_out(maria, 1_00, provider=CODE)
    send_withdrawal(request_id=unsent.pk, now=lambda: NOON)
    assert state(unsent) == "requested"


def test_a_worker_that_died_after_marking_leaves_what_is_asked_about_and_never_sent_again(
    maria: Player, fickle: FickleProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    fickle.next_answer = SystemExit("killed")
    request = take_out(maria, 40_00, provider=CODE)
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)

    def die(order: object) -> Answer:
        raise KeyboardInterrupt

    monkeypatch.setattr(fickle, "pay_out", die)
    with pytest.raises(KeyboardInterrupt):
        send_withdrawal(request_id=request.pk, now=lambda: NOON)
    assert state(request) == "sent"
    fickle.next_answer = Answer(Outcome.UNKNOWN)
    ask_providers(now=lambda: NOON + PATIENCE - dt.timedelta(seconds=1))
    assert state(request) == "sent"
    ask_providers(now=lambda: NOON + PATIENCE)
    assert (state(request), balance(maria)) == ("unknown", 60_00)


def test_a_deposit_is_begun_and_asked_about(maria: Player, fickle: FickleProvider) -> None:
    request = pay_in(maria, 5_00, provider=CODE)
    begin_deposit(request_id=request.pk, now=lambda: NOON)
    fickle.next_answer = Answer(Outcome.PAID, "F-9", 5_00, "EUR")
    assert ask_providers(now=lambda: NOON) == 1
    begin_deposit(request_id=request.pk, now=lambda: NOON)
    assert (state(request), balance(maria)) == ("confirmed", 105_00)
    assert ask_providers(now=lambda: NOON) == 0
    assert [question for question, _ in fickle.asked] == ["begin_deposit", "ask"]


def test_a_provider_that_is_gone_leaves_the_money_held(maria: Player, fickle: FickleProvider) -> None:
    request = take_out(maria, 40_00, provider=CODE)
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    del providers._providers[CODE]
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    assert (state(request), balance(maria)) == ("unknown", 60_00)
    providers.register(fickle)


def test_the_direct_way_in_and_out_still_works(maria: Player) -> None:
    deposit(wallet=wallet_of(maria), amount_cents=1_00, actor="system", at=NOON)
    assert balance(maria) == 101_00


# Deposits of which nothing is heard.


def test_a_deposit_expires_after_its_time_and_an_unknown_one_does_not(maria: Player, settings: Any) -> None:
    old, unknown, other = pay_in(maria, 1_00), pay_in(maria, 2_00), pay_in(maria, 3_00)
    take_step(request_id=unknown.pk, to_state=CashState.UNKNOWN, actor="system", at=NOON)
    done = pay_in(maria, 4_00)
    confirm_payment(request_id=done.pk, reference="B-4", **BY_TWO, at=NOON)
    settings.DEPOSIT_EXPIRES_HOURS = 24
    day = dt.timedelta(hours=24)
    assert expire_deposits(at=NOON + day - dt.timedelta(seconds=1)) == 0
    assert expire_deposits(at=NOON + day) == 2
    assert expire_deposits(at=NOON + day) == 0
    states = [CashRequest.objects.get(pk=one.pk).state for one in (old, unknown, done)]
    assert states == ["expired", "unknown", "confirmed"]
    found = reconcile(actor="api:house", at=NOON + day)
    assert sorted((one.kind, one.request_id) for one in found) == [("overdue", old.pk), ("overdue", other.pk)]
    assert reconcile(actor="api:house", at=NOON + day) == []
    hold_books()


def test_money_for_an_expired_deposit_is_booked_all_the_same(maria: Player, house: House) -> None:
    late, short, never = pay_in(maria, 1_00), pay_in(maria, 2_00), pay_in(maria, 3_00)
    closed = house.player(0)
    of_closed = pay_in(closed, 5_00)
    before = balance(maria)
    later = NOON + dt.timedelta(days=2)
    expire_deposits(at=later)
    begin_closing(player=closed, reason="a test", actor="system", at=later)
    for request, cents in ((late, 1_00), (short, 1_50), (of_closed, 5_00)):
        told = Told("bank", f"B-{request}", str(request), CashKind.DEPOSIT, NoticeOutcome.PAID, cents, "EUR")
        take_notice(told=told, actor="provider:bank", at=later)
    mark_failed(request_id=never.pk, reason="Nothing came.", **BY_TWO, at=later)
    states = [CashRequest.objects.get(pk=one.pk).state for one in (late, short, of_closed, never)]
    assert states == ["confirmed", "failed", "failed", "failed"]
    assert (balance(maria), balance(closed)) == (before + 1_00, 0)
    assert sum(Transfer.objects.filter(credit__kind="suspense").values_list("amount_cents", flat=True)) == 6_50
    with pytest.raises(StepNotAllowed):
        take_step(request_id=late.pk, to_state=CashState.EXPIRED, actor="system", at=later)
    hold_books()


def test_an_expired_deposit_can_still_be_confirmed_by_hand(maria: Player) -> None:
    request, before = pay_in(maria, 1_00), balance(maria)
    expire_deposits(at=NOON + dt.timedelta(days=2))
    confirm_payment(request_id=request.pk, reference="B-1", **BY_TWO, at=NOON + dt.timedelta(days=3))
    assert (CashRequest.objects.get(pk=request.pk).state, balance(maria)) == ("confirmed", before + 1_00)
