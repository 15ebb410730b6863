"""Closing an account at the same moment as something else, on PostgreSQL: whatever comes first, nothing is lost."""

import datetime as dt

import pytest
from django.utils import timezone

from roulette_site.common.sealer import seal_all
from sessions_app.services.closing import close_own_account
from tables.services.advance import sweep
from tables.services.betting import SlipRefused, place_bets
from tests.house import DRAW_KEY, House, PlayerAtTable, bet, prove_books
from tests.races.racing import FEW_TRIES, at_once
from wallets.models import CashKind as Kind
from wallets.models import CashRequest, NoticeOutcome, Player, Standing, StandingChange, Verdict
from wallets.selectors.closing import money_of
from wallets.services.cash_requests import start_deposit
from wallets.services.closing import advance_closing, begin_closing
from wallets.services.notices import Told, take_notice

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
THREADS = 8


def now() -> dt.datetime:
    return timezone.now()


def verify() -> None:
    seal_all(everything=True)
    prove_books()


def begin(player: Player) -> Player:
    return begin_closing(player=player, reason="", actor=f"player:{player.pk}", at=now())


def test_a_closing_and_bets(house: House) -> None:
    """A bet that came first is played; one that came after is refused, and none lies on the cloth unknown."""
    for number in range(FEW_TRIES):
        seated = house.seated(100_00)
        maria = seated.seat.player

        def place(n: int, seated: PlayerAtTable = seated, number: int = number) -> object:
            return place_bets(
                seat=seated.seat, items=[bet("red")], key=f"race:{number}:{n}", actor=seated.actor, at=now()
            )

        answers = at_once(
            lambda p=maria: close_own_account(player=p, reason="", at=now()),
            *[lambda n=n: place(n) for n in range(THREADS - 2)],
            lambda p=maria: advance_closing(player_id=p.pk, at=now()),
        )
        assert isinstance(answers[0], Player), answers
        assert all(isinstance(one, SlipRefused) or hasattr(one, "slip_id") for one in answers[1:-1]), answers
        # Where no bet came first all of it is on its way already.
        on_its_way = sum(CashRequest.objects.filter(account__player=maria).values_list("amount_cents", flat=True))
        sweep(key=DRAW_KEY, now=now)
        left = money_of(maria)
        assert on_its_way in (0, 100_00)
        assert not (on_its_way and left)
        standing = advance_closing(player_id=maria.pk, at=now())
        assert standing == Standing.CLOSING
        assert money_of(maria) == 0
        assert CashRequest.objects.get(account__player=maria).amount_cents == on_its_way + left
    verify()


def test_a_closing_and_the_notice_of_a_deposit(house: House) -> None:
    """The money is in the wallet and is paid out, or it is in suspense: never both, never neither."""
    for number in range(FEW_TRIES):
        maria = house.player(0)
        request = start_deposit(
            player=maria, amount_cents=25_00, provider="bank", key=f"d:{number}", actor="system", at=now()
        ).request
        told = Told("bank", f"n-{number}", str(request), Kind.DEPOSIT, NoticeOutcome.PAID, 25_00, "EUR")
        answers = at_once(
            lambda p=maria: begin(p),
            lambda told=told: take_notice(told=told, actor="provider:bank", at=now()),
            lambda p=maria: advance_closing(player_id=p.pk, at=now()),
        )
        notice = answers[1].notice  # type: ignore[attr-defined]
        advance_closing(player_id=maria.pk, at=now())
        paid_out = sum(
            CashRequest.objects.filter(account__player=maria, kind=Kind.WITHDRAWAL).values_list(
                "amount_cents", flat=True
            )
        )
        if notice.verdict == Verdict.APPLIED:
            assert (notice.suspended, paid_out) == (None, 25_00)
        else:
            assert notice.verdict == Verdict.NOT_PERMITTED
            assert (notice.suspended.amount_cents, paid_out) == (25_00, 0)
            assert Player.objects.get(pk=maria.pk).standing == Standing.CLOSED
    verify()


def test_eight_closings_at_once_are_one(house: House) -> None:
    for _ in range(FEW_TRIES):
        maria = house.player(100_00)
        answers = at_once(*[lambda p=maria: begin(p)] * THREADS)
        assert all(isinstance(one, Player) for one in answers), answers
        assert StandingChange.objects.filter(player=maria, field="standing").count() == 1
        answers = at_once(*[lambda p=maria: advance_closing(player_id=p.pk, at=now())] * THREADS)
        assert answers == [Standing.CLOSING] * THREADS
        assert CashRequest.objects.get(account__player=maria).amount_cents == 100_00
    verify()


def test_eight_ends_at_once_are_one(house: House) -> None:
    for _ in range(FEW_TRIES):
        maria = house.player(0)
        begin(maria)
        answers = at_once(*[lambda p=maria: advance_closing(player_id=p.pk, at=now())] * THREADS)
        assert answers == [Standing.CLOSED] * THREADS
        assert StandingChange.objects.filter(player=maria, field="standing").count() == 2
    verify()
