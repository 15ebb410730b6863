"""What a provider tells: twice, late, of another unit or amount, of nothing that we know; nothing is lost."""

from collections.abc import Callable

import pytest

from tests.house import BY_TWO, NOON, House
from tests.wallets.providers import CODE, FickleProvider
from wallets.models import AccountKind, CashRequest, Finding, NoticeOutcome, Player, ProviderNotice, Transfer, Verdict
from wallets.services.cash_requests import MOST_CENTS, UnknownProvider
from wallets.services.cash_steps import mark_failed
from wallets.services.closing import begin_closing
from wallets.services.notices import InvalidNotice, Taken
from wallets.web.inbox import sentence_of

from .asking import balance, of_operator, pay_in, sent, state, take_out, tell

pytestmark = pytest.mark.django_db


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
    for request, ended in ((sent(maria, 5_00), "refused"), (pay_in(maria, 5_00), "failed")):
        tell(request, NoticeOutcome.REFUSED, reason=said)
        assert request.steps.get(to_state=ended).reason == kept


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
