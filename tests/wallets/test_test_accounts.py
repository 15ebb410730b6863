"""Test accounts: what they take out is capped, and no figure of the business counts what they moved."""

import datetime as dt
import io
from typing import Any

import pytest
from django.contrib.admin.sites import site
from django.core.management import CommandError, call_command

from roulette_site.common.models import AuditEntry, Operator
from sessions_app.services.game_sessions import start_game_session
from tables.models import Seat
from tests.house import BY_TWO, IBAN, House, PlayerAtTable, adjusted, bet, decided_request, make_house
from wallets.models import (
    Account,
    AccountKind,
    AccountSnapshot,
    CashKind,
    CashRequest,
    DecidedAct,
    Finding,
    KycState,
    NoticeOutcome,
    Player,
    Standing,
    Unit,
)
from wallets.selectors.operator_balances import operator_balance
from wallets.selectors.receivables import debts, owed_by
from wallets.selectors.test_account_money import business_balance, part_of_test_accounts
from wallets.services.account_mail import mail_reset_link
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, mark_failed
from wallets.services.closing import advance_closing, begin_closing
from wallets.services.corrections import correct_transfer
from wallets.services.ledger import deposit, open_wallet
from wallets.services.notices import Told, take_notice
from wallets.services.payout import set_payout_address
from wallets.services.people import add_player
from wallets.services.permission_to_pay import TEST_ACCOUNT_CAP_CENTS
from wallets.services.permission_to_pay import TestAccountCapped as AccountCapped
from wallets.services.snapshots import snapshot_missing_days
from wallets.services.standing import set_kyc_state
from wallets.services.suspense import assign_to_player

from .books import hold_books
from .registers import put_in_place

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    return make_house()


def trying(house: House) -> Player:
    player = add_player(email="try@test.example", full_name="Try", handle="try", is_test=True, at=house.at())
    set_kyc_state(player=player, state=KycState.VERIFIED, reason="test", actor="system", at=house.at())
    set_payout_address(player=player, iban=IBAN, at=house.at() - dt.timedelta(days=2))
    return player


def ask(act: Any, player: Player, cents: int, house: House) -> CashRequest:
    key = f"{player.pk}:{CashRequest.objects.count()}"
    return act(
        player=player, amount_cents=cents, provider="bank", key=key, actor="api:house", at=house.forward()
    ).request


def pay_in(player: Player, cents: int, house: House) -> None:
    request = ask(start_deposit, player, cents, house)
    confirm_payment(request_id=request.pk, reference=f"in-{request.pk}", **BY_TWO, at=house.forward())


def send(player: Player, cents: int, house: House) -> CashRequest:
    request = ask(request_withdrawal, player, cents, house)
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=house.forward())
    send_withdrawal(request_id=request.pk, now=house.forward)
    return request


def take_seat(player: Player, house: House) -> PlayerAtTable:
    game_session = start_game_session(table=house.table, player=player, at=house.forward())
    Seat.objects.filter(pk=game_session.seat_id).update(reality_check_at=None)
    seated = PlayerAtTable(house=house, game_session=game_session)
    seated.open_round()
    return seated


def a_busy_day(player: Player, house: House) -> None:
    """A bit of everything that moves money between a player and the house."""
    pay_in(player, 100_00, house)
    seated = take_seat(player, house)
    for _ in range(2):
        seated.play(bet("red", stake="2.00"), bet("straight", 0, stake="1.00"))
        seated.open_round()
    seated.place(bet("odd", stake="3.00"))
    paid, refused = send(player, 10_00, house), send(player, 5_00, house)
    confirm_payment(request_id=paid.pk, reference=f"out-{paid.pk}", **BY_TWO, at=house.forward())
    mark_failed(request_id=refused.pk, reason="No such account.", **BY_TWO, at=house.forward())
    ask(request_withdrawal, player, 4_00, house)
    adjusted(player, at=house.forward(), cents=6_00)
    told = Told("bank", f"lost-{player.pk}", "", CashKind.DEPOSIT, NoticeOutcome.PAID, 7_00, "EUR")
    lost = take_notice(told=told, actor="provider:bank", at=house.forward()).notice.suspended
    assert lost is not None
    said: dict[str, object] = {"transfer": lost.pk, "player": player.pk, "deposit": None}
    request = decided_request(DecidedAct.RELEASE, said, at=house.forward())
    assign_to_player(
        transfer_id=lost.pk, player=player, deposit_id=None, reason="r", at=house.at(), request_id=request.pk, **BY_TWO
    )


def win(player: Player, cents: int, house: House) -> None:
    """Let the player have what no act of staff may give him."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wallets.services.adjustments.check_holding", lambda **_: None)
        adjusted(player, at=house.forward(), cents=cents)


def figures() -> dict[int, int]:
    return {
        pk: business_balance(pk)
        for pk in Account.objects.filter(balance_cents__isnull=True, unit=Unit.EUR).values_list("pk", flat=True)
    }


# What it takes out.


def test_it_takes_out_little_more_than_it_paid_in_however_it_is_split(house: House) -> None:
    player = trying(house)
    pay_in(player, 50_00, house)
    # A great win.
    deposit(wallet=open_wallet(player=player, unit=Unit.EUR), amount_cents=1, actor="system", at=house.forward())
    win(player, 5_000_00, house)
    most = TEST_ACCOUNT_CAP_CENTS + 50_01
    with pytest.raises(AccountCapped):
        ask(request_withdrawal, player, most + 1, house)
    first = send(player, most - 10_00, house)
    ask(request_withdrawal, player, 10_00, house)
    with pytest.raises(AccountCapped):
        ask(request_withdrawal, player, 1, house)
    # What the bank has refused was not taken out.
    mark_failed(request_id=first.pk, reason="No such account.", **BY_TWO, at=house.forward())
    ask(request_withdrawal, player, most - 10_00, house)
    ask(request_withdrawal, house.player(2 * most), 2 * most, house)
    hold_books()


def test_closing_it_pays_out_no_more_and_says_so(house: House) -> None:
    player = trying(house)
    win(player, TEST_ACCOUNT_CAP_CENTS + 1, house)
    begin_closing(player=player, reason="a test", actor="system", at=house.forward())
    assert advance_closing(player_id=player.pk, at=house.forward()) == Standing.CLOSING
    finding = Finding.objects.get()
    assert (finding.kind, finding.amount_cents) == ("closing", TEST_ACCOUNT_CAP_CENTS + 1)
    adjusted(player, at=house.forward(), direction="debit", cents=1)
    advance_closing(player_id=player.pk, at=house.forward())
    assert CashRequest.objects.get().amount_cents == TEST_ACCOUNT_CAP_CENTS


# What it is left out of.


def test_no_figure_counts_it_and_every_proof_does(house: House) -> None:
    a_busy_day(house.player(0), house)
    before = figures()
    assert before == {pk: operator_balance(pk) for pk in before}
    player = trying(house)
    a_busy_day(player, house)
    after = figures()
    assert {pk: cents for pk, cents in after.items() if cents} == {pk: cents for pk, cents in before.items() if cents}
    parts = {pk: part_of_test_accounts(pk) for pk in after}
    assert sum(parts.values()) == -(open_wallet(player=player, unit=Unit.EUR).balance_cents or 0)
    pending = Account.objects.get(kind=AccountKind.PENDING)
    in_play = Account.objects.get(pk=house.table.in_play_id)
    assert (parts[pending.pk], parts[in_play.pk]) == (4_00, 3_00)
    hold_books()


def test_snapshots_are_shown_without_it(house: House) -> None:
    a_busy_day(house.player(0), house)
    rule = Operator.objects.get().gaming_day_rule
    a_busy_day(trying(house), house)
    expected = {pk: cents for pk, cents in figures().items() if cents}
    snapshot_missing_days(rule=rule, at=house.at() + dt.timedelta(days=2))
    # What it does later is in no earlier snapshot.
    house.now += dt.timedelta(days=3)
    pay_in(Player.objects.get(handle="try"), 9_00, house)
    first = AccountSnapshot.objects.earliest("gaming_day").gaming_day
    shown = site.get_model_admin(AccountSnapshot)
    rows = AccountSnapshot.objects.filter(gaming_day=first, account__unit=Unit.EUR)
    figured = {row.account_id: shown.business_cents(row) for row in rows}  # type: ignore[attr-defined]
    assert {pk: cents for pk, cents in figured.items() if cents} == expected


def test_what_it_owes_is_in_no_list(house: House) -> None:
    for player in (trying(house), house.player(0)):
        first = deposit(
            wallet=open_wallet(player=player, unit=Unit.EUR), amount_cents=10_00, actor="system", at=house.forward()
        )
        adjusted(player, at=house.forward(), direction="debit", cents=10_00)
        correct_transfer(first=first, amount_cents=10_00, actor="system", at=house.forward())
        assert owed_by(player)[0].owed_cents == 10_00
    assert [one.player.is_test for one in debts(limit=9)] == [False]


def test_no_adjustment_puts_more_into_it_than_it_may_hold(house: House) -> None:
    player = trying(house)
    adjusted(player, at=house.forward(), cents=TEST_ACCOUNT_CAP_CENTS - 10_00)
    with pytest.raises(AccountCapped):
        adjusted(player, at=house.forward(), cents=10_01)
    adjusted(player, at=house.forward(), cents=10_00)
    adjusted(player, at=house.forward(), direction="debit", cents=10_00)
    assert Account.objects.get(player=player, kind=AccountKind.WALLET).balance_cents == TEST_ACCOUNT_CAP_CENTS - 10_00
    hold_books()


MADE = ("try@test.example", "Tina Tentativa", "1990-02-03", "--actor", "system", "--reason", "to try the new table")


def make_account(*arguments: str) -> str:
    said = io.StringIO()
    call_command("create_test_account", *arguments, stdout=said)
    return said.getvalue()


def test_the_command_makes_one_that_is_marked_and_verified(house: House, mailoutbox: list[Any]) -> None:
    assert "asks for a password by mail" in make_account(*MADE)
    player = Player.objects.get(is_test=True)
    assert (player.kyc_state, player.user.has_usable_password()) == (KycState.VERIFIED, False)
    entry = AuditEntry.objects.get(act="player_added", subject_id=str(player.pk))
    assert entry.after == {"user": player.user_id, "is_test": True}
    # Nobody has told anybody a password: its holder has one sent.
    assert mail_reset_link(user_id=player.user_id, language="en")
    assert [mail.to for mail in mailoutbox] == [["try@test.example"]]
    hold_books()


@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        (0, "no address", "email_refused"),
        (1, "=1+1", "name_refused"),
        (2, "2020-01-01", "too_young"),
        (2, "tomorrow", "is written like"),
        (4, "staff:77", "--actor"),
        (6, " ", "reason"),
    ],
)
def test_the_command_says_what_is_wrong_and_makes_nothing(house: House, place: int, value: str, code: str) -> None:
    with pytest.raises(CommandError, match=code):
        make_account(*MADE[:place], value, *MADE[place + 1 :])
    assert not Player.objects.filter(is_test=True).exists()


def test_the_command_makes_no_second_one_of_an_address(house: House) -> None:
    make_account(*MADE)
    with pytest.raises(CommandError, match="email_taken"):
        make_account("TRY@test.example", *MADE[1:])
    assert Player.objects.filter(is_test=True).count() == 1


def test_the_command_says_that_the_register_gave_no_answer(house: House, settings: Any) -> None:
    put_in_place(settings).falls_silent()
    assert "not verified" in make_account(*MADE)
    assert Player.objects.get(is_test=True).kyc_state == KycState.UNVERIFIED
