"""A month of one player, from registering to the closed account, with every balance asserted on the way.

Whoever stakes 1.00 on each of the 37 numbers gets 36.00 back, whatever the ball does: each round costs exactly 1.00.
"""

import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command

from roulette_site.common import four_eyes
from roulette_site.common.sealer import seal_all
from sessions_app.models import EndBasis, GameSession
from sessions_app.services.game_sessions import NotAdmitted, end_game_session, start_game_session
from sessions_app.services.protection import acknowledge_reality_check, exclude
from tables.services.advance import sweep
from tables.services.betting import SlipRefused
from tests.house import BY_TWO, DRAW_KEY, IBAN, House, PlayerAtTable, bet, make_house
from wallets.acts.money import ADJUST
from wallets.models import (
    Account,
    CashKind,
    ConsentTo,
    KycState,
    LimitKind,
    LimitPeriod,
    NoticeOutcome,
    Player,
    Standing,
    Unit,
)
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment
from wallets.services.limits import confirm_loosening, set_own_limit
from wallets.services.notices import Told, take_notice
from wallets.services.payout import set_payout_address
from wallets.services.people import add_staff, register_player
from wallets.services.permission_to_pay import Excluded
from wallets.services.standing import set_kyc_state, set_standing

pytestmark = pytest.mark.django_db(transaction=True)
EVERY_NUMBER = [bet("straight", number, stake="1.00") for number in range(37)]
LOSS = {"kind": LimitKind.LOSS, "period": LimitPeriod.DAY}


class Month:
    """The player, the house's clock, and what happens."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.keys = iter(range(1, 1000))
        self.on(1)
        self.player = register_player(
            email="ana@test.example", password="a long and odd sentence 17", full_name="Ana Reis",
            birth_date=dt.date(1990, 5, 5), country="PT", language="pt", time_zone="Europe/Lisbon",
            consents=dict.fromkeys(ConsentTo.values, "1"), at=house.at(),
        )  # fmt: skip
        set_payout_address(player=self.player, iban=IBAN, at=house.at())

    def on(self, day: int, hour: int = 12) -> None:
        self.house.now = dt.datetime(2026, 6, day, hour, tzinfo=dt.UTC)

    @property
    def wallet(self) -> Account:
        return Account.objects.get(player=self.player, unit=Unit.EUR)

    def has(self, cents: int) -> None:
        assert self.wallet.balance_cents == cents
        verify()

    def pay_in(self, cents: int) -> None:
        asked = start_deposit(
            player=self.player, amount_cents=cents, provider="bank", key=f"in-{next(self.keys)}",
            actor=f"player:{self.player.pk}", at=self.house.forward(),
        ).request  # fmt: skip
        self.told(f"D{asked.pk}", cents)

    def told(self, ours: str, cents: int) -> None:
        take_notice(
            told=Told("bank", f"N{next(self.keys)}", ours, CashKind.DEPOSIT, NoticeOutcome.PAID, cents, "EUR"),
            actor="provider:bank", at=self.house.forward(),
        )  # fmt: skip

    def take_out(self, cents: int) -> None:
        asked = request_withdrawal(
            player=self.player, amount_cents=cents, provider="bank", key=f"out-{next(self.keys)}",
            actor=f"player:{self.player.pk}", at=self.house.forward(),
        ).request  # fmt: skip
        approve_withdrawal(request_id=asked.pk, actor="staff:900001", at=self.house.forward())
        send_withdrawal(request_id=asked.pk, now=self.house.forward)
        confirm_payment(request_id=asked.pk, reference=f"P{asked.pk}", **BY_TWO, at=self.house.forward())

    def sit_down(self) -> PlayerAtTable:
        session = start_game_session(table=self.house.table, player=self.player, at=self.house.forward())
        seated = PlayerAtTable(self.house, session)
        seated.open_round()
        return seated

    def get_up(self, seated: PlayerAtTable) -> None:
        end_game_session(game_session=seated.game_session, basis=EndBasis.PLAYER, at=self.house.forward())
        sweep(key=DRAW_KEY, now=self.house.forward)

    def play(self, rounds: int = 1) -> None:
        seated = self.sit_down()
        for _ in range(rounds):
            seated.play(*EVERY_NUMBER)
            seated.open_round()
        self.get_up(seated)


def verify() -> None:
    seal_all(everything=True)
    said = io.StringIO()
    try:
        call_command("verify", stdout=said)
    except CommandError:
        pytest.fail(said.getvalue(), pytrace=False)


def refused(seated: PlayerAtTable) -> list[str]:
    with pytest.raises(SlipRefused) as refusal:
        seated.place(*EVERY_NUMBER)
    return [breach["reason"] for breach in refusal.value.breaches]


def test_a_players_month() -> None:
    month = Month(make_house())
    player = month.player
    month.has(0)

    # 1 June: money comes before the papers, and the table waits for them.
    month.pay_in(100_00)
    month.has(100_00)
    with pytest.raises(NotAdmitted) as not_admitted:
        month.sit_down()
    assert not_admitted.value.details == {"reasons": ["not_verified"]}
    set_kyc_state(
        player=player, state=KycState.VERIFIED, reason="papers seen", actor="staff:900001", at=month.house.at()
    )
    set_own_limit(player=player, **LOSS, value=40_00, at=month.house.at())
    seated = month.sit_down()
    for lost in range(1, 5):
        seated.play(*EVERY_NUMBER)
        assert month.wallet.balance_cents == 100_00 - lost * 1_00
        seated.open_round()
    assert refused(seated) == ["above_loss_limit_day"]
    month.get_up(seated)
    month.has(96_00)

    # 2 June: a new day has a new limit. A wish for more waits until the 3rd.
    month.on(2)
    month.play()
    month.has(95_00)
    wish = set_own_limit(player=player, **LOSS, value=50_00, at=month.house.at())
    month.on(3, hour=13)
    confirm_loosening(player=player, loosening_id=wish.pk, at=month.house.at())
    month.play(rounds=6)
    month.has(89_00)

    # 5 June: half goes home. 10 June: a complaint is upheld by two people.
    month.on(5)
    month.take_out(50_00)
    month.has(39_00)
    month.on(10)
    maker, decider = (
        add_staff(email=f"{name}@test.example", full_name=name, roles=["Finance"], at=month.house.at())
        for name in ("filipa", "goncalo")
    )
    adjustment = four_eyes.make_request(
        act=ADJUST, user=maker, reason="complaint 12", evidence="recording 7", at=month.house.at(),
        arguments={"player": player.pk, "direction": "credit", "amount_cents": 11_00, "cause": "complaint"},
    )  # fmt: skip
    month.has(39_00)
    four_eyes.approve_request(request_id=adjustment.pk, user=decider, reason="seen", at=month.house.forward())
    month.has(50_00)

    # 12 June: a break of a week. Nothing is staked or paid in, and what is asked for is paid out.
    month.on(12)
    exclude(player=player, term="7 days", at=month.house.at())
    with pytest.raises(NotAdmitted):
        month.sit_down()
    with pytest.raises(Excluded):
        month.pay_in(10_00)
    month.take_out(10_00)
    month.has(40_00)

    # 19 June: back at the table; after an hour the question comes first.
    month.on(19, hour=13)
    seated = month.sit_down()
    seated.play(*EVERY_NUMBER)
    seated.open_round()
    month.house.forward(3600)
    assert refused(seated) == ["reality_check_due"]
    acknowledge_reality_check(game_session=seated.game_session, at=month.house.at())
    seated.play(*EVERY_NUMBER)
    month.get_up(seated)
    month.has(38_00)

    # 25 June: what names nobody is credited to nobody.
    month.on(25)
    month.told("", 20_00)
    month.has(38_00)

    # 30 June: everything is paid out, and the account is closed.
    month.on(30)
    month.take_out(38_00)
    month.has(0)
    set_standing(player=player, standing=Standing.CLOSED, reason="her wish", actor="staff:900001", at=month.house.at())
    month.told("D1", 5_00)
    month.has(0)
    assert Player.objects.get(pk=player.pk).standing == Standing.CLOSED
    assert GameSession.objects.filter(player=player, ended_at=None).count() == 0
