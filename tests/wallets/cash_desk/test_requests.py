"""The cash desk: what is asked moves once, and a withdrawal is cancelled by nobody."""

import pytest
from django.db import IntegrityError, connection, transaction

from roulette_site.common.reasons import ReasonNotUsable
from tests.house import BY_TWO, NOON, House
from wallets.models import (
    AccountKind,
    CashRequest,
    CashState,
    CashStep,
    DocumentType,
    Finding,
    NoticeOutcome,
    Player,
    Transfer,
    Verdict,
)
from wallets.services import permission_to_pay
from wallets.services.caps import OwnBenefit
from wallets.services.cash_requests import (
    MOST_CENTS,
    AmountNotPossible,
    UnknownProvider,
    request_withdrawal,
    start_deposit,
)
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import (
    StepNotAllowed,
    approve_withdrawal,
    confirm_payment,
    hold_withdrawal,
    mark_failed,
)
from wallets.services.closing import begin_closing
from wallets.services.corrections import WithdrawalIsHeld, correct_transfer
from wallets.services.erasure import close_account
from wallets.services.ledger import BalanceTooLow, IdempotencyConflict, withdraw
from wallets.services.notices import InvalidNotice
from wallets.services.people import add_staff, record_document
from wallets.services.permission_to_pay import AccountClosed

from .asking import ask, balance, of_operator, pay_in, sent, state, steps, take_out, tell, wallet_of

pytestmark = pytest.mark.django_db


def test_a_deposit_is_the_players_when_the_provider_says_so(maria: Player) -> None:
    request = pay_in(maria, 25_00)
    assert (state(request), balance(maria)) == ("started", 100_00)
    assert tell(request).notice.verdict == Verdict.APPLIED
    assert (state(request), balance(maria)) == ("confirmed", 125_00)
    assert (request.moved.amount_cents, request.decided_at, steps(request)) == (25_00, NOON, ["started", "confirmed"])
    assert not Finding.objects.exists()


def test_a_withdrawal_leaves_the_wallet_at_once_and_the_house_when_it_is_paid(maria: Player) -> None:
    bank = of_operator(AccountKind.BANK)
    request = take_out(maria, 40_00)
    assert (balance(maria), of_operator(AccountKind.PENDING), of_operator(AccountKind.BANK)) == (60_00, 40_00, bank)
    hold_withdrawal(request_id=request.pk, reason="A look at the account.", actor="staff:900001", at=NOON)
    approve_withdrawal(request_id=request.pk, actor="staff:900002", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    assert (state(request), of_operator(AccountKind.PENDING)) == ("sent", 40_00)
    confirm_payment(request_id=request.pk, reference="B-77", **BY_TWO, at=NOON)
    assert (state(request), request.provider_reference) == ("paid", "B-77")
    assert steps(request) == ["requested", "held", "approved", "sent", "paid"]
    assert (balance(maria), of_operator(AccountKind.PENDING), of_operator(AccountKind.BANK)) == (60_00, 0, bank + 40_00)


def test_what_the_provider_refused_goes_back_by_a_transfer_that_names_the_first(maria: Player) -> None:
    request = sent(maria, 40_00)
    mark_failed(request_id=request.pk, reason="No such account.", **BY_TWO, at=NOON)
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("refused", 100_00, 0)
    assert (request.returned.corrects, request.returned.reason) == (request.held, "correction")
    assert request.steps.get(to_state="refused").reason == "No such account."


def test_the_same_key_gives_the_first_answer_and_another_body_a_conflict(maria: Player, house: House) -> None:
    for act in (start_deposit, request_withdrawal):
        first = ask(act, maria, 10_00, key=f"k-{act.__name__}")
        assert ask(act, maria, 10_00, key=f"k-{act.__name__}") == first
        other = start_deposit if act is request_withdrawal else request_withdrawal
        with pytest.raises(IdempotencyConflict):
            ask(act, maria, 10_01, key=f"k-{act.__name__}")
        with pytest.raises(IdempotencyConflict):
            ask(other, maria, 10_00, key=f"k-{act.__name__}")
        with pytest.raises(IdempotencyConflict):
            ask(act, house.player(100_00), 10_00, key=f"k-{act.__name__}")
    assert (balance(maria), CashRequest.objects.count(), CashStep.objects.count()) == (90_00, 2, 2)


def test_a_replay_is_answered_whatever_has_become_of_it_and_of_the_player(maria: Player) -> None:
    request = take_out(maria, 100_00, key="k-1")
    begin_closing(player=maria, reason="x", actor="staff:900001", at=NOON)
    assert take_out(maria, 100_00, key="k-1") == request


@pytest.mark.parametrize("cents", [0, -1, -100_00, MOST_CENTS + 1, 2**63, True, 1.0, "5"])
def test_no_amount_moves_nothing(maria: Player, cents: object) -> None:
    for act in (start_deposit, request_withdrawal):
        with pytest.raises(AmountNotPossible):
            ask(act, maria, cents)  # type: ignore[arg-type]
    assert (balance(maria), CashRequest.objects.count()) == (100_00, 0)


def test_more_than_there_is_and_a_way_that_there_is_not(maria: Player) -> None:
    with pytest.raises(BalanceTooLow) as refused:
        take_out(maria, 100_01)
    assert refused.value.details == {"balance_cents": 100_00}
    for act in (start_deposit, request_withdrawal):
        with pytest.raises(UnknownProvider):
            ask(act, maria, 1_00, provider="nobody")
    assert (balance(maria), CashRequest.objects.count(), Transfer.objects.count()) == (100_00, 0, 1)


def test_nobody_pays_into_or_out_of_a_closed_account(maria: Player) -> None:
    withdraw(wallet=wallet_of(maria), amount_cents=100_00, actor="system", at=NOON)
    close_account(user=maria.user, reason="x", actor="staff:900001", at=NOON)
    for act in (start_deposit, request_withdrawal):
        with pytest.raises(AccountClosed):
            ask(act, maria, 1_00)
    assert (balance(maria), CashRequest.objects.count()) == (0, 0)


def test_permission_is_asked_under_the_accounts_lock(maria: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def look(**asked: object) -> None:
        assert connection.in_atomic_block
        seen.append((asked["player"], asked["amount_cents"], asked["at"]))

    monkeypatch.setattr(permission_to_pay, "check_deposit", look)
    monkeypatch.setattr(permission_to_pay, "check_withdrawal", look)
    tell(pay_in(maria, 1_00))
    take_out(maria, 2_00)
    # Once when it is asked and once when the money comes.
    assert seen == [(maria, 1_00, NOON), (maria, 1_00, NOON), (maria, 2_00, NOON)]


# A withdrawal cannot be cancelled.


def test_a_withdrawal_is_cancelled_by_nobody(maria: Player) -> None:
    for request in (take_out(maria, 10_00), sent(maria, 10_00)):
        with pytest.raises(WithdrawalIsHeld):
            correct_transfer(first=request.held, amount_cents=1, actor="staff:900001", at=NOON)
        back = Transfer(
            debit=request.held.credit, credit=request.held.debit, amount_cents=1, unit="EUR", reason="correction",
            corrects=request.held, actor="x", created_at=NOON,
        )  # fmt: skip
        with (
            pytest.raises(IntegrityError, match="a withdrawal that was not refused is not undone"),
            transaction.atomic(),
        ):
            back.save()
    with pytest.raises(StepNotAllowed):
        mark_failed(request_id=take_out(maria, 1_00).pk, reason="He wants to play on.", **BY_TWO, at=NOON)
    assert balance(maria) == 79_00


def test_nobody_approves_his_own_withdrawal(maria: Player) -> None:
    request = take_out(maria, 30_00)
    filipa = add_staff(email="filipa@test.example", full_name="Filipa", roles=[], at=NOON)
    for user in (filipa, maria.user):
        record_document(user=user, document_type=DocumentType.PASSPORT, number="AB 1234", at=NOON)
    with pytest.raises(OwnBenefit):
        approve_withdrawal(request_id=request.pk, actor=f"staff:{filipa.pk}", at=NOON)
    assert state(request) == "requested"
    hold_withdrawal(request_id=request.pk, reason="whose is it", actor=f"staff:{filipa.pk}", at=NOON)


def test_the_database_knows_one_way_only(maria: Player) -> None:
    deposit_, withdrawal = pay_in(maria, 1_00), take_out(maria, 1_00)
    every = {*CashState, "cancelled"}
    allowed = {deposit_: {"failed", "unknown"}, withdrawal: {"held", "approved"}}
    for request, good in allowed.items():
        for wanted in sorted(every - {request.state} - good):
            with pytest.raises(IntegrityError), transaction.atomic():
                CashRequest.objects.filter(pk=request.pk).update(state=wanted, decided_at=NOON)
    refused = sent(maria, 2_00)
    tell(refused, NoticeOutcome.REFUSED)
    paid = sent(maria, 2_00)
    tell(paid)
    for request in (refused, paid):
        for wanted in sorted(every - {state(request)}):
            with pytest.raises(IntegrityError), transaction.atomic():
                CashRequest.objects.filter(pk=request.pk).update(state=wanted)
    for kind, wrong in (("deposit", "confirmed"), ("withdrawal", "approved"), ("deposit", "requested")):
        with pytest.raises(IntegrityError), transaction.atomic():
            CashRequest.objects.create(
                kind=kind, state=wrong, account=wallet_of(maria), amount_cents=1, unit="EUR", provider="bank",
                idempotency_key="x", created_by="x", created_at=NOON,
            )  # fmt: skip


def test_play_units_are_neither_paid_in_nor_out(maria: Player) -> None:
    with pytest.raises(IntegrityError, match="cash_request_is_money"), transaction.atomic():
        CashRequest.objects.create(
            kind="deposit", state="started", account=wallet_of(maria), amount_cents=1, unit="DEMO", provider="bank",
            idempotency_key="x", created_by="x", created_at=NOON,
        )  # fmt: skip


# What staff do.


def test_staff_say_why_and_only_what_can_still_be_said(maria: Player) -> None:
    request = take_out(maria, 10_00)
    for reason in ("", "   ", "x" * 301, "a\0b"):
        with pytest.raises(ReasonNotUsable):
            hold_withdrawal(request_id=request.pk, reason=reason, actor="staff:900001", at=NOON)
    with pytest.raises(StepNotAllowed) as refused:
        confirm_payment(request_id=request.pk, reference="B-1", **BY_TWO, at=NOON)
    assert refused.value.details == {"state": "requested"}
    for _ in range(2):
        approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    assert steps(request) == ["requested", "approved"]
    with pytest.raises(StepNotAllowed):
        hold_withdrawal(request_id=request.pk, reason="late", actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    for reference in ("", "with space", "ü", "x" * 81):
        with pytest.raises(InvalidNotice):
            confirm_payment(request_id=request.pk, reference=reference, **BY_TWO, at=NOON)
    with pytest.raises(StepNotAllowed):
        approve_withdrawal(request_id=pay_in(maria, 1_00).pk, actor="staff:900001", at=NOON)
    assert (state(request), balance(maria)) == ("sent", 90_00)
