"""The cash desk: what is asked moves once, an unknown outcome is held, and nothing that a provider says is lost."""

import datetime as dt
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from roulette_site.common.reasons import ReasonNotUsable
from tests.house import BY_TWO, NOON, House, make_house
from wallets import providers
from wallets.models import (
    Account,
    AccountKind,
    CashKind,
    CashRequest,
    CashState,
    CashStep,
    DocumentType,
    Finding,
    NoticeOutcome,
    Player,
    ProviderNotice,
    Transfer,
    Unit,
    Verdict,
)
from wallets.providers import Answer, Outcome
from wallets.selectors.operator_balances import operator_balance
from wallets.services import permission_to_pay
from wallets.services.caps import OwnBenefit
from wallets.services.cash_requests import (
    MOST_CENTS,
    AmountNotPossible,
    UnknownProvider,
    request_withdrawal,
    start_deposit,
)
from wallets.services.cash_sending import PATIENCE, ask_providers, begin_deposit, send_withdrawal
from wallets.services.cash_steps import (
    StepNotAllowed,
    approve_withdrawal,
    confirm_payment,
    expire_deposits,
    hold_withdrawal,
    mark_failed,
    take_step,
)
from wallets.services.closing import begin_closing
from wallets.services.corrections import WithdrawalIsHeld, correct_transfer
from wallets.services.erasure import close_account
from wallets.services.ledger import BalanceTooLow, IdempotencyConflict, deposit, open_wallet, operator_account, withdraw
from wallets.services.notices import InvalidNotice, Taken, Told, take_notice
from wallets.services.people import add_staff, record_document
from wallets.services.permission_to_pay import AccountClosed
from wallets.services.reconciliation import reconcile
from wallets.web.inbox import sentence_of

from .books import hold_books
from .providers import CODE, FickleProvider, NoAnswer

pytestmark = pytest.mark.django_db
_keys = itertools.count(1)


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(100_00)


@pytest.fixture
def fickle() -> Iterator[FickleProvider]:
    provider = FickleProvider()
    providers.register(provider)
    yield provider
    del providers._providers[CODE]


@pytest.fixture(autouse=True)
def books_are_right(db: None) -> Iterator[None]:
    yield
    hold_books()


def wallet_of(player: Player) -> Account:
    return open_wallet(player=player, unit=Unit.EUR)


def balance(player: Player) -> int:
    cents = wallet_of(player).balance_cents
    assert cents is not None
    return cents


def of_operator(kind: AccountKind) -> int:
    return operator_balance(operator_account(kind=kind, unit=Unit.EUR).pk)


def ask(act: Callable, player: Player, cents: int, *, key: str = "", provider: str = "bank") -> CashRequest:
    key = key or f"key-{next(_keys)}"
    return act(
        player=player, amount_cents=cents, provider=provider, key=key, actor=f"player:{player.pk}", at=NOON
    ).request


def pay_in(player: Player, cents: int, **more: str) -> CashRequest:
    return ask(start_deposit, player, cents, **more)


def take_out(player: Player, cents: int, **more: str) -> CashRequest:
    return ask(request_withdrawal, player, cents, **more)


def sent(player: Player, cents: int, **more: str) -> CashRequest:
    request = take_out(player, cents, **more)
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    request.refresh_from_db()
    return request


def tell(
    request: CashRequest | None,
    outcome: NoticeOutcome = NoticeOutcome.PAID,
    *,
    cents: int | None = None,
    unit: str = "EUR",
    reference: str = "",
    **more: str,
) -> Taken:
    told = Told(
        provider=more.get("provider", request.provider if request else "bank"),
        reference=reference or f"p-{next(_keys)}",
        our_reference=more.get("our_reference", request.reference if request else "D999999"),
        kind=CashKind(more.get("kind", request.kind if request else "deposit")),
        outcome=outcome,
        amount_cents=request.amount_cents if cents is None and request else cents or 1_00,
        unit=unit,
        reason=more.get("reason", ""),
    )
    return take_notice(told=told, actor="provider:bank", at=NOON)


def state(request: CashRequest) -> str:
    request.refresh_from_db()
    return request.state


def steps(request: CashRequest) -> list[str]:
    return list(request.steps.order_by("id").values_list("to_state", flat=True))


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


# Notices: twice, late, for a closed account, of another unit or amount, of nothing that we know.


def test_a_notice_that_comes_twice_counts_once(maria: Player) -> None:
    request = pay_in(maria, 25_00)
    first = tell(request, reference="p-twice")
    again = tell(request, reference="p-twice")
    assert (first.repeated, again.repeated, again.notice) == (False, True, first.notice)
    assert (balance(maria), ProviderNotice.objects.count(), Finding.objects.count()) == (125_00, 1, 0)


def test_a_notice_that_comes_again_with_another_amount_is_a_finding(maria: Player) -> None:
    request = pay_in(maria, 25_00)
    tell(request, reference="p-twice")
    for _ in range(2):
        assert tell(request, reference="p-twice", cents=26_00).repeated
    assert balance(maria) == 125_00
    assert Finding.objects.get().amount_cents == 26_00


Case = Callable[[House, Player], tuple[CashRequest | None, Taken]]


def closed(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    request = pay_in(maria, 25_00)
    begin_closing(player=maria, reason="x", actor="staff:900001", at=NOON)
    return request, tell(request)


def late(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    request = pay_in(maria, 25_00)
    mark_failed(request_id=request.pk, reason="Nothing came.", **BY_TWO, at=NOON)
    return request, tell(request)


def second_payment(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    request = pay_in(maria, 25_00)
    tell(request)
    return request, tell(request)


def of_less(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    request = pay_in(maria, 30_00)
    return request, tell(request, cents=25_00)


def of_more(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    request = pay_in(maria, 20_00)
    return request, tell(request, cents=25_00)


def of_no_request(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    return None, tell(None, cents=25_00)


def without_reference(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    return None, tell(None, cents=25_00, our_reference="")


def of_a_withdrawal(house: House, maria: Player) -> tuple[CashRequest | None, Taken]:
    """A deposit that names a withdrawal's number."""
    number = take_out(house.player(50_00), 25_00).pk
    return None, tell(None, cents=25_00, our_reference=f"D{number}")


@pytest.mark.parametrize(
    ("case", "verdict", "ends"),
    [
        (closed, Verdict.NOT_PERMITTED, "failed"),
        (late, Verdict.LATE, "failed"),
        (second_payment, Verdict.PAID_TWICE, "confirmed"),
        (of_less, Verdict.WRONG_AMOUNT, "failed"),
        (of_more, Verdict.WRONG_AMOUNT, "failed"),
        (of_no_request, Verdict.UNKNOWN_REQUEST, None),
        (without_reference, Verdict.UNKNOWN_REQUEST, None),
        (of_a_withdrawal, Verdict.UNKNOWN_REQUEST, None),
    ],
)
def test_money_that_cannot_be_credited_stands_in_suspense_with_a_finding(
    house: House, maria: Player, case: Case, verdict: Verdict, ends: str | None
) -> None:
    before = balance(maria)
    request, taken = case(house, maria)
    assert taken.notice.verdict == verdict
    assert (request is None) == (ends is None)
    if request is not None:
        assert state(request) == ends
    assert balance(maria) - before == (25_00 if ends == "confirmed" else 0)
    assert of_operator(AccountKind.SUSPENSE) == 25_00
    finding = Finding.objects.get()
    assert (finding.notice, finding.amount_cents, finding.unit) == (taken.notice, 25_00, "EUR")
    assert taken.notice.suspended.amount_cents == 25_00


@pytest.mark.parametrize("unit", ["USD", "DEMO"])
def test_money_of_another_unit_moves_nothing_here_and_is_a_finding(maria: Player, unit: str) -> None:
    request = pay_in(maria, 25_00)
    assert tell(request, unit=unit).notice.verdict == Verdict.WRONG_UNIT
    assert (state(request), balance(maria), of_operator(AccountKind.SUSPENSE)) == ("unknown", 100_00, 0)
    assert (Finding.objects.get().unit, Finding.objects.get().amount_cents) == (unit, 25_00)
    # When the provider says it rightly the money is the player's.
    tell(request)
    assert (state(request), balance(maria)) == ("confirmed", 125_00)


@pytest.mark.parametrize(
    "wrong",
    [
        {"reference": "with space"}, {"reference": "x" * 81}, {"reference": "ü"}, {"unit": "eur"}, {"unit": ""},
        {"unit": "EURO5"}, {"cents": -1}, {"cents": MOST_CENTS + 1}, {"our_reference": "D1\n"}, {"our_reference": "é"},
    ],
)  # fmt: skip
def test_what_cannot_be_a_notice_is_refused_and_not_kept(maria: Player, wrong: dict) -> None:
    with pytest.raises(InvalidNotice):
        tell(pay_in(maria, 25_00), **wrong)
    with pytest.raises(UnknownProvider):
        tell(pay_in(maria, 25_00), provider="nobody")
    assert (ProviderNotice.objects.count(), Finding.objects.count(), balance(maria)) == (0, 0, 100_00)


@pytest.mark.parametrize("our_reference", ["D0", "D01", "D" + "9" * 40, "X1", "d1", "D1 "])
def test_a_reference_that_is_none_of_ours_is_no_request(maria: Player, our_reference: str) -> None:
    pay_in(maria, 25_00)
    try:
        taken = tell(None, cents=5_00, our_reference=our_reference)
    except InvalidNotice:
        return
    assert taken.notice.verdict == Verdict.UNKNOWN_REQUEST


def test_another_providers_word_is_no_word_on_this_request(maria: Player, fickle: FickleProvider) -> None:
    request = pay_in(maria, 25_00)
    assert tell(request, provider=CODE).notice.verdict == Verdict.UNKNOWN_REQUEST
    assert (state(request), balance(maria)) == ("started", 100_00)


def test_what_contradicts_itself_moves_nothing_and_is_a_finding(maria: Player) -> None:
    paid_in, paid_out, refused = pay_in(maria, 5_00), sent(maria, 5_00), sent(maria, 5_00)
    tell(paid_in), tell(paid_out), tell(refused, NoticeOutcome.REFUSED)
    before = (balance(maria), of_operator(AccountKind.BANK), Transfer.objects.count())
    for request, outcome in (
        (paid_in, NoticeOutcome.REFUSED),
        (paid_out, NoticeOutcome.REFUSED),
        (refused, NoticeOutcome.PAID),
    ):
        was = state(request)
        assert tell(request, outcome).notice.verdict == Verdict.CONTRADICTS
        assert state(request) == was
    assert (balance(maria), of_operator(AccountKind.BANK), Transfer.objects.count()) == before
    assert Finding.objects.count() == 3


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("AC04 account closed", "AC04 account closed"),
        ("AC04: PT50 0002 0123 1234 5678 9015 4 is closed", "AC04"),
        ("Account PT50000201231234567890154 is closed", ""),
        ("ask joao@home.example", ""),
        ("\u202eclosed", ""),
    ],
)
def test_nothing_of_a_providers_reason_stays_that_says_who_it_was(maria: Player, said: str, kept: str) -> None:
    for request, state in ((sent(maria, 5_00), "refused"), (pay_in(maria, 5_00), "failed")):
        tell(request, NoticeOutcome.REFUSED, reason=said)
        assert request.steps.get(to_state=state).reason == kept


def test_of_a_withdrawal_that_was_refused_the_player_is_told_that_the_money_is_back(maria: Player) -> None:
    request = sent(maria, 30_00)
    mark_failed(request_id=request.pk, reason="AC04", **BY_TWO, at=NOON)
    message = maria.inbox.get(kind="withdrawal")
    assert message.data == {"amount_cents": 30_00, "unit": "EUR", "request": str(request)}
    assert sentence_of(message) == f"Your withdrawal {request} was refused, and 30.00\xa0€ are back in your wallet."


def test_a_refusal_twice_gives_back_once(maria: Player) -> None:
    request = sent(maria, 5_00)
    for verdict in (Verdict.APPLIED, Verdict.KNOWN):
        assert tell(request, NoticeOutcome.REFUSED).notice.verdict == verdict
    assert (balance(maria), Finding.objects.count()) == (100_00, 0)


@pytest.mark.parametrize("outcome", list(NoticeOutcome))
@pytest.mark.parametrize("wrong", [{"cents": 4_99}, {"unit": "USD"}])
def test_a_withdrawals_notice_of_another_amount_is_no_definite_word(
    maria: Player, outcome: NoticeOutcome, wrong: dict
) -> None:
    request = sent(maria, 5_00)
    tell(request, outcome, **wrong)
    assert (state(request), balance(maria), of_operator(AccountKind.PENDING)) == ("unknown", 95_00, 5_00)
    assert Finding.objects.count() == 1


@pytest.mark.parametrize("outcome", list(NoticeOutcome))
def test_a_word_on_a_withdrawal_that_was_never_sent_is_a_finding(maria: Player, outcome: NoticeOutcome) -> None:
    request = take_out(maria, 5_00)
    assert tell(request, outcome).notice.verdict == Verdict.NOT_SENT
    assert (state(request), balance(maria)) == ("requested", 95_00)
    assert Finding.objects.count() == 1


# A provider that answers late, twice, never.


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
