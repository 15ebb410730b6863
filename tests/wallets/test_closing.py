"""Ending an account: bets and deposits end at once, the money goes out, and then it is closed."""

import datetime as dt

import pytest
from django.core.management import CommandError, call_command

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import AuditEntry
from roulette_site.common.sealer import seal_all
from sessions_app.models import EndBasis, GameSession
from sessions_app.services.closing import close_own_account
from sessions_app.services.game_sessions import NotAdmitted, start_game_session
from sessions_app.services.protection import end_sessions_of_the_barred
from tables.services.advance import sweep
from tables.services.betting import SlipRefused
from tests.house import BY_TWO, DRAW_KEY, House, adjusted, bet, make_house
from tests.wallets.providers import FickleProvider
from wallets import providers
from wallets.models import (
    CashKind,
    CashRequest,
    CashState,
    Finding,
    InboxMessage,
    KycState,
    NoticeOutcome,
    PayoutAddress,
    Player,
    ProviderNotice,
    Standing,
    StandingChange,
    Unit,
    User,
    Verdict,
)
from wallets.selectors.closing import hindrances_of, money_of
from wallets.selectors.people import closed_since
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, mark_failed
from wallets.services.closing import advance_closing, advance_closings, begin_closing
from wallets.services.corrections import correct_transfer
from wallets.services.erasure import WithdrawalPending, erase_person
from wallets.services.ledger import deposit, open_wallet
from wallets.services.notices import Told, take_notice
from wallets.services.payout import set_payout_address
from wallets.services.permission_to_pay import AccountClosed, AccountClosing, AccountSuspended
from wallets.services.standing import AccountNotEmpty, StepNotAllowed, set_kyc_state, set_standing

pytestmark = pytest.mark.django_db(transaction=True)
YEARS = dt.timedelta(days=5 * 365 + 2)
OTHER = "DE89370400440532013000"


@pytest.fixture
def house() -> House:
    return make_house()


def verify() -> None:
    seal_all(everything=True)
    call_command("verify")


def ask(player: Player, house: House, **more: str) -> Player:
    return begin_closing(
        player=player, reason=more.get("reason", ""), actor=more.get("actor", f"player:{player.pk}"), at=house.forward()
    )


def go_on(player: Player, house: House) -> Standing:
    return advance_closing(player_id=player.pk, at=house.forward())


def send(request: CashRequest, house: House) -> None:
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=house.forward())
    send_withdrawal(request_id=request.pk, now=house.forward)


def pay(request: CashRequest, house: House) -> None:
    send(request, house)
    confirm_payment(request_id=request.pk, reference=f"out-{request.pk}", **BY_TWO, at=house.forward())


def paid_in(player: Player, cents: int, house: House, provider: str = "bank") -> CashRequest:
    request = start_deposit(
        player=player, amount_cents=cents, provider=provider, key=f"in:{player.pk}:{house.forward()}",
        actor=f"player:{player.pk}", at=house.forward(),
    ).request  # fmt: skip
    confirm_payment(request_id=request.pk, reference=f"in-{request.pk}", **BY_TWO, at=house.forward())
    request.refresh_from_db()
    return request


def closures(player: Player) -> list[CashRequest]:
    return list(CashRequest.objects.filter(account__player=player, kind=CashKind.WITHDRAWAL).order_by("id"))


def test_an_empty_account_is_closed_at_once(house: House) -> None:
    maria = house.player(0)
    ask(maria, house, reason="I have had enough.")
    assert go_on(maria, house) == Standing.CLOSED
    changes = StandingChange.objects.filter(player=maria, field="standing").order_by("id")
    assert [(one.after, one.actor, one.reason) for one in changes] == [
        ("closing", f"player:{maria.pk}", "I have had enough."),
        ("closed", "system", "I have had enough."),
    ]
    maria.user.refresh_from_db()
    assert not maria.user.is_active
    assert closed_since(maria.user) is not None
    assert AuditEntry.objects.filter(act="account_closed").count() == 1
    verify()


def test_what_is_left_is_paid_out_and_then_it_is_closed(house: House) -> None:
    maria = house.player(100_00)
    ask(maria, house)
    assert go_on(maria, house) == Standing.CLOSING
    (request,) = closures(maria)
    first = request.steps.earliest("id")
    assert (request.amount_cents, request.payout_to, request.created_by) == (100_00, "PT50 **** 0154", "system")
    assert (first.actor, first.reason) == ("system", "closure")
    assert hindrances_of(maria) == ["withdrawal"]
    for _ in range(3):
        assert go_on(maria, house) == Standing.CLOSING
    assert len(closures(maria)) == 1
    pay(request, house)
    assert advance_closings(now=house.forward) == 1
    assert Player.objects.get(pk=maria.pk).standing == Standing.CLOSED
    assert advance_closings(now=house.forward) == 0
    assert go_on(maria, house) == Standing.CLOSED
    verify()


def closed_and_corrected(house: House) -> Player:
    """A player whose account is closed, to whom ten euros are given back that were taken by mistake."""
    maria = house.player(10_00)
    taken = adjusted(maria, direction="debit", cents=10_00, at=house.forward())
    ask(maria, house)
    assert go_on(maria, house) == Standing.CLOSED
    correct_transfer(first=taken, amount_cents=10_00, actor="staff:900001", at=house.forward())
    return maria


def test_money_that_comes_to_a_closed_account_is_paid_out_and_nobody_erased_before(house: House) -> None:
    maria = closed_and_corrected(house)
    closed_at = closed_since(User.objects.get(pk=maria.user_id))
    erasing = {
        "user": maria.user,
        "reason": "old",
        "actor": "staff:900001",
        "at": house.at() + YEARS + dt.timedelta(days=1),
    }
    assert advance_closings(now=house.forward) == 1
    (request,) = closures(maria)
    assert (request.amount_cents, request.payout_to) == (10_00, "PT50 **** 0154")
    with pytest.raises(WithdrawalPending):
        erase_person(**erasing)
    pay(request, house)
    assert advance_closings(now=house.forward) == 1
    assert Player.objects.get(pk=maria.pk).standing == Standing.CLOSED
    # The time of retention runs from the last end.
    assert closed_since(User.objects.get(pk=maria.user_id)) > closed_at
    with pytest.raises(StepNotAllowed):
        set_standing(player=maria, standing=Standing.CLOSING, reason="x", actor="staff:900001", at=house.at())
    verify()
    erase_person(**erasing)


def test_who_is_known_no_more_is_a_finding_and_who_is_may_ask(house: House) -> None:
    maria = closed_and_corrected(house)
    PayoutAddress.objects.filter(player=maria).update(iban_sealed="", iban_hash="", masked="", erased_at=house.at())
    for _ in range(2):
        advance_closings(now=house.forward)
    found = Finding.objects.get(kind="closing")
    assert (found.amount_cents, "no account any more" in found.detail) == (10_00, True)
    set_payout_address(player=maria, iban=OTHER, at=house.at() - dt.timedelta(days=2))
    asked = request_withdrawal(
        player=maria, amount_cents=4_00, provider="bank", key="w", actor="api:house", at=house.forward()
    )
    assert asked.request.state == CashState.REQUESTED
    advance_closings(now=house.forward)
    assert [one.amount_cents for one in closures(maria)] == [4_00, 6_00]


def test_asking_twice_is_asking_once(house: House) -> None:
    maria = house.player(100_00)
    for reason in ("mine", "another"):
        ask(maria, house, reason=reason)
    ask(maria, house, reason="a letter", actor="staff:900001")
    (change,) = StandingChange.objects.filter(player=maria, field="standing")
    assert change.reason == "mine"


def test_staff_say_why_and_who_is_suspended_asks_them(house: House) -> None:
    maria = house.player(0)
    with pytest.raises(RuleBroken) as refused:
        ask(maria, house, actor="staff:900001")
    assert refused.value.code == "reason_missing"
    for bad in ("x" * 301, "a\u202eb", "a\0"):
        with pytest.raises(RuleBroken):
            ask(maria, house, reason=bad)
    set_standing(player=maria, standing=Standing.SUSPENDED, reason="a report", actor="staff:900001", at=house.at())
    with pytest.raises(AccountSuspended):
        ask(maria, house)
    ask(maria, house, actor="staff:900001", reason="The report was right.")
    assert go_on(maria, house) == Standing.CLOSED
    with pytest.raises(AccountClosed):
        ask(maria, house)


def test_there_is_no_way_back(house: House) -> None:
    maria = house.player(100_00)
    ask(maria, house)
    for standing in (Standing.ACTIVE, Standing.SUSPENDED):
        with pytest.raises(StepNotAllowed):
            set_standing(player=maria, standing=standing, reason="oh no", actor="staff:900001", at=house.at())
    with pytest.raises(AccountNotEmpty):
        set_standing(player=maria, standing=Standing.CLOSED, reason="now", actor="staff:900001", at=house.at())


def test_from_then_on_no_bet_no_seat_and_no_deposit(house: House) -> None:
    seated = house.seated()
    maria = seated.seat.player
    begun = start_deposit(
        player=maria, amount_cents=5_00, provider="bank", key="d-1", actor="system", at=house.forward()
    ).request
    ask(maria, house)
    with pytest.raises(SlipRefused) as refused:
        seated.place(bet("red"))
    assert [one["message"] for one in refused.value.breaches] == ["Your account is being closed."]
    with pytest.raises(AccountClosing):
        paid_in(maria, 5_00, house)
    assert end_sessions_of_the_barred(at=house.forward()) == 1
    with pytest.raises(NotAdmitted):
        start_game_session(table=house.table, player=maria, at=house.forward())
    # What comes all the same is kept apart for staff, and nothing is lost.
    told = Told("bank", "N-1", str(begun), CashKind.DEPOSIT, NoticeOutcome.PAID, 5_00, "EUR")
    assert take_notice(told=told, actor="provider:bank", at=house.forward()).notice.verdict == Verdict.NOT_PERMITTED
    assert Finding.objects.count() == 1
    assert ProviderNotice.objects.get().suspended.amount_cents == 5_00
    assert money_of(maria) == 100_00
    verify()


@pytest.mark.article("pt:25")
def test_bets_on_the_cloth_are_played_before_anything_is_paid_out(house: House) -> None:
    seated = house.seated()
    maria = seated.seat.player
    seated.place(bet("red", stake="10.00"), bet("black", stake="10.00"), bet("straight", 0, stake="1.00"))
    close_own_account(player=maria, reason="", at=house.forward())
    assert GameSession.objects.get(player=maria).end_basis == EndBasis.PLAYER
    assert hindrances_of(maria) == ["in_play", "balance"]
    assert go_on(maria, house) == Standing.CLOSING
    assert closures(maria) == []
    sweep(key=DRAW_KEY, now=house.forward)
    left = money_of(maria)
    assert go_on(maria, house) == Standing.CLOSING
    (request,) = closures(maria)
    assert request.amount_cents == left
    pay(request, house)
    assert go_on(maria, house) == Standing.CLOSED
    verify()


def test_staff_end_an_account_in_play_and_the_sweeps_do_the_rest(house: House) -> None:
    seated = house.seated(100_00)
    maria = seated.seat.player
    ask(maria, house, actor="staff:900001", reason="a letter")
    assert hindrances_of(maria) == ["in_play", "session", "balance"]
    end_sessions_of_the_barred(at=house.forward())
    sweep(key=DRAW_KEY, now=house.forward)
    go_on(maria, house)
    pay(closures(maria)[0], house)
    assert go_on(maria, house) == Standing.CLOSED
    verify()


def test_play_units_keep_no_account_open(house: House) -> None:
    points = make_house(unit=Unit.DEMO)
    seated = points.seated(100_00)
    maria = seated.seat.player
    seated.place(bet("red"))
    ask(maria, points)
    assert go_on(maria, points) == Standing.CLOSED
    end_sessions_of_the_barred(at=points.forward())
    sweep(key=DRAW_KEY, now=points.forward)
    erase_person(
        user=User.objects.get(pk=maria.user_id), reason="over", actor="system",
        at=points.at() + dt.timedelta(days=6 * 365),
    )  # fmt: skip
    verify()


def test_a_refused_payment_waits_for_another_address_and_is_told_once(house: House) -> None:
    maria = house.player(100_00)
    ask(maria, house)
    go_on(maria, house)
    (request,) = closures(maria)
    send(request, house)
    mark_failed(request_id=request.pk, reason="No such account.", **BY_TWO, at=house.forward())
    told = InboxMessage.objects.filter(player=maria).count()
    for _ in range(3):
        assert go_on(maria, house) == Standing.CLOSING
    assert (len(closures(maria)), money_of(maria)) == (1, 100_00)
    assert InboxMessage.objects.filter(player=maria).count() == told + 1
    set_payout_address(player=maria, iban=OTHER, at=house.forward())
    go_on(maria, house)
    second = closures(maria)[1]
    # The address is new: somebody looks first, here as always.
    assert (second.payout_to, second.state) == ("DE89 **** 3000", CashState.HELD)
    pay(second, house)
    assert go_on(maria, house) == Standing.CLOSED
    verify()


def test_without_an_address_the_money_waits_and_the_player_is_asked(house: House) -> None:
    maria = house.player(100_00)
    maria.payout_addresses.update(iban_sealed="", iban_hash="", masked="", erased_at=house.at())
    ask(maria, house)
    for _ in range(2):
        assert go_on(maria, house) == Standing.CLOSING
    assert closures(maria) == []
    assert InboxMessage.objects.latest("pk").data == {"wanted": True, "refused": None}


def test_who_is_not_verified_gets_back_the_way_it_came(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = FickleProvider()
    monkeypatch.setitem(providers._providers, provider.code, provider)
    sofia = house.player(0)
    set_kyc_state(player=sofia, state=KycState.PENDING, reason="papers", actor="staff:900001", at=house.at())
    first, second = paid_in(sofia, 20_00, house), paid_in(sofia, 15_00, house, provider.code)
    with pytest.raises(RuleBroken):
        request_withdrawal(player=sofia, amount_cents=1, provider="bank", key="w", actor="system", at=house.at())
    ask(sofia, house)
    go_on(sofia, house)
    backs = closures(sofia)
    assert [(one.refund_of, one.amount_cents, one.provider, one.payout_to) for one in backs] == [
        (second, 15_00, provider.code, ""), (first, 20_00, "bank", ""),
    ]  # fmt: skip
    send(backs[0], house)
    question, order = provider.asked[-1]
    assert (question, order.refund_of, order.iban) == ("pay_out", second.provider_reference, "")
    confirm_payment(request_id=backs[0].pk, reference="out-x", **BY_TWO, at=house.forward())
    assert go_on(sofia, house) == Standing.CLOSING
    pay(backs[1], house)
    assert go_on(sofia, house) == Standing.CLOSED
    assert not Finding.objects.exists()
    verify()


def test_what_was_corrected_of_a_deposit_does_not_go_back_a_second_time(house: House) -> None:
    sofia = house.player(0)
    set_kyc_state(player=sofia, state=KycState.EXPIRED, reason="papers", actor="staff:900001", at=house.at())
    first, second = paid_in(sofia, 20_00, house), paid_in(sofia, 15_00, house)
    for request, cents in ((first, 20_00), (second, 5_00)):
        correct_transfer(first=request.moved, amount_cents=cents, actor="system", at=house.forward())
    adjusted(sofia, at=house.forward(), cents=20_00)
    ask(sofia, house)
    go_on(sofia, house)
    assert [(one.refund_of, one.amount_cents) for one in closures(sofia)] == [(second, 10_00)]
    assert Finding.objects.get().amount_cents == 20_00
    # A correction may come later as well: who has been paid back can still claim it from his bank.
    correct_transfer(first=second.moved, amount_cents=10_00, actor="system", at=house.forward())
    verify()


def test_the_books_show_where_what_was_corrected_goes_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    sofia = house.player(0)
    set_kyc_state(player=sofia, state=KycState.EXPIRED, reason="papers", actor="staff:900001", at=house.at())
    first = paid_in(sofia, 20_00, house)
    correct_transfer(first=first.moved, amount_cents=1, actor="system", at=house.forward())
    adjusted(sofia, at=house.forward(), cents=1)
    monkeypatch.setattr("wallets.services.closing.gone_back_cents", lambda deposit: 0)
    ask(sofia, house)
    go_on(sofia, house)
    assert [one.amount_cents for one in closures(sofia)] == [20_00]
    with pytest.raises(CommandError):
        verify()


def test_what_did_not_come_by_a_deposit_of_the_unknown_is_a_finding(house: House) -> None:
    sofia = house.player(0)
    paid_in(sofia, 20_00, house)
    deposit(wallet=open_wallet(player=sofia, unit=Unit.EUR), amount_cents=7_00, actor="system", at=house.forward())
    set_kyc_state(player=sofia, state=KycState.EXPIRED, reason="papers", actor="staff:900001", at=house.forward())
    ask(sofia, house)
    for _ in range(2):
        assert go_on(sofia, house) == Standing.CLOSING
    assert [one.amount_cents for one in closures(sofia)] == [20_00]
    finding = Finding.objects.get()
    assert (finding.kind, finding.amount_cents) == ("closing", 7_00)
    # A refund that is refused is not tried again either.
    send(closures(sofia)[0], house)
    mark_failed(request_id=closures(sofia)[0].pk, reason="No such card.", **BY_TWO, at=house.forward())
    go_on(sofia, house)
    assert (len(closures(sofia)), money_of(sofia)) == (1, 27_00)
    # Once it is known who she is it goes where she says.
    set_kyc_state(player=sofia, state=KycState.VERIFIED, reason="papers", actor="staff:900001", at=house.forward())
    go_on(sofia, house)
    pay(closures(sofia)[1], house)
    assert go_on(sofia, house) == Standing.CLOSED
    verify()


def test_a_withdrawal_that_was_asked_for_before_is_waited_for(house: House) -> None:
    maria = house.player(100_00)
    request = request_withdrawal(
        player=maria, amount_cents=100_00, provider="bank", key="w", actor="system", at=house.forward()
    ).request
    ask(maria, house)
    assert go_on(maria, house) == Standing.CLOSING
    pay(request, house)
    assert go_on(maria, house) == Standing.CLOSED


def test_nothing_moves_in_a_closed_account(house: House) -> None:
    maria = house.player(0)
    ask(maria, house)
    go_on(maria, house)
    with pytest.raises(AccountClosed):
        adjusted(maria, at=house.forward())
    told = Told("bank", "N-1", "", CashKind.DEPOSIT, NoticeOutcome.PAID, 5_00, "EUR")
    assert take_notice(told=told, actor="provider:bank", at=house.forward()).notice.suspended is not None
    verify()
