"""Races on PostgreSQL. Each is first shown, with its guard taken away in the test, and then shown to be gone."""

import datetime as dt
import threading
import time
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from roulette_site.common import guards
from sessions_app.models import GameSession
from sessions_app.services.game_sessions import end_game_session, enter_table
from tables.models import (
    Bet,
    GameRound,
    NumberSource,
    RoundEvent,
    RoundState,
    Seat,
    Slip,
    SlipWithdrawal,
    Table,
    TableKind,
    TableState,
)  # fmt: skip
from tables.placing import NewBet, NewSlip, Placed, place_slip
from tables.roulette.rulebooks import find_rulebook
from tables.selectors.bets import digest_of_bets, live_bets
from tables.services import settlement, taking_back
from tables.services.advance import advance_round, sweep
from tables.services.betting import SlipRefused, place_bets
from tables.services.client_seed import ClientSeedFixed, choose_client_seed_of_seat
from tables.services.rounds import BettingClosed, close_round, draw_round
from tables.services.settlement import settle_round
from tables.services.taking_back import NothingToTakeBack, take_back
from tests.house import DRAW_KEY, NOON, House, PlayerAtTable, bet, make_house, prove_books
from tests.races.racing import ACCOUNT_LOCK, FEW_TRIES, ROUND_LOCK, TRIES, at_once, placing_with, placing_without
from wallets.models import Account, Transfer, Unit
from wallets.services import ledger
from wallets.services.ledger import BalanceTooLow, IdempotencyConflict, deposit, open_wallet, withdraw

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
BETTORS = 24


def on_spot(player: PlayerAtTable, spot: int) -> int:
    game_round = player.game_round
    return sum(
        b.stake_cents for b in Bet.objects.filter(game_round=game_round, spot=spot, slip__withdrawal__isnull=True)
    )


def place_twice(player: PlayerAtTable, number: int) -> list[object]:
    def slip(n: int) -> Callable[[], object]:
        return lambda: place_bets(
            seat=player.seat,
            items=[bet("straight", number, stake="10.00")],
            key=f"race:{player.seat.pk}:{number}:{n}",
            actor=player.actor,
        )

    return at_once(slip(1), slip(2))


def test_two_slips_for_one_maximum(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    maria = house.seated(balance_cents=10_000_00)
    with placing_without(monkeypatch, ACCOUNT_LOCK):
        for number in range(TRIES):
            place_twice(maria, number)
        broken = [number for number in range(TRIES) if on_spot(maria, number) > 15_00]
    assert broken, "without the account's lock both slips see the spot empty"

    joao = house.seated(balance_cents=10_000_00)
    for number in range(TRIES):
        answers = place_twice(joao, number)
        assert sum(isinstance(answer, SlipRefused) for answer in answers) == 1, answers
        assert on_spot(joao, number) == 10_00


def place_and_withdraw(player: PlayerAtTable, n: int) -> list[object]:
    at, key = player.house.at(), f"race:{player.seat.pk}:{n}"
    return at_once(
        lambda: place_bets(seat=player.seat, items=[bet("red", stake="6.00")], key=key, actor=player.actor, at=at),
        lambda: withdraw(wallet=player.wallet, amount_cents=6_00, actor="system", at=at),
    )


def test_two_debits_of_one_balance(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_without_lock(*account_ids: int) -> dict[int, Account]:
        found = Account.objects.in_bulk(account_ids)
        time.sleep(0.02)
        return found

    broken = 0
    with monkeypatch.context() as patched:
        patched.setattr(ledger, "lock_accounts", look_without_lock)
        for _ in range(TRIES):
            wallet = open_wallet(player=house.player(10_00), unit=Unit.EUR)
            answers = at_once(*[lambda w=wallet: withdraw(wallet=w, amount_cents=6_00, actor="system", at=NOON)] * 2)
            # The look said yes to both; only the database's CHECK stood between, and its refusal is no answer.
            broken += any(isinstance(answer, DatabaseError) for answer in answers)
    assert broken, "without the lock both looks find the money there"

    for n in range(TRIES):
        maria = house.seated(balance_cents=10_00)
        answers = place_and_withdraw(maria, n)
        refused = [answer for answer in answers if isinstance(answer, SlipRefused | BalanceTooLow)]
        assert len(refused) == 1, answers
        assert maria.balance_cents == 4_00
    for _ in range(FEW_TRIES):
        maria = house.seated(balance_cents=4_00)
        twice = at_once(*[lambda m=maria: withdraw(wallet=m.wallet, amount_cents=3_00, actor="system", at=NOON)] * 2)
        assert sum(isinstance(answer, BalanceTooLow) for answer in twice) == 1, twice
        assert maria.balance_cents == 1_00
    prove_books()


def place_two_slips(player: PlayerAtTable) -> list[object]:
    """Each of them is covered by the balance, both together are not."""
    return at_once(
        *[
            lambda colour=colour: place_bets(
                seat=player.seat,
                items=[bet(colour, stake="6.00")],
                key=f"{colour}:{player.seat.pk}",
                actor=player.actor,
                at=player.house.at(),
            )
            for colour in ("red", "black")
        ]
    )


def test_two_slips_for_one_balance(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with placing_without(monkeypatch, ACCOUNT_LOCK):
        unguarded = [place_two_slips(house.seated(balance_cents=10_00)) for _ in range(TRIES)]
    # Both slips saw the money there; only the database's CHECK stood between, and its refusal is no answer.
    broken = [answers for answers in unguarded if any(isinstance(answer, DatabaseError) for answer in answers)]
    assert broken, "without the account's lock both slips find the money there"

    for _ in range(TRIES):
        maria = house.seated(balance_cents=10_00)
        answers = place_two_slips(maria)
        (refused,) = [answer for answer in answers if isinstance(answer, SlipRefused)]
        assert [(one["reason"], one["maximum"]) for one in refused.breaches] == [("balance_too_low", "4.00")]
        assert maria.balance_cents == 4_00
        assert [b.stake_cents for b in Bet.objects.filter(game_round=maria.game_round)] == [6_00]
    prove_books()


def shared_round(house: House) -> GameRound:
    """A round that many bet in: what live tables will have, made by hand."""
    rulebook = find_rulebook("pt-online")
    number = Table.objects.count() + 100
    in_play = Account.objects.create(kind="in_play", unit="EUR")
    table = Table.objects.create(
        slug=f"shared-{number}", name="Shared", kind=TableKind.MULTIPLAYER, unit="EUR", number_source=NumberSource.DRAWN,
        rules=house.table.rules, minimum_cents=50, state=TableState.OPEN, in_play=in_play, last_round_number=1,
    )  # fmt: skip
    return GameRound.objects.create(
        table=table, number=1, rules=table.rules, rulebook_code=rulebook.code, rulebook_edition=rulebook.edition,
        rulebook_digest=rulebook.digest, minimum_cents=50, opened_at=timezone.now(),
        closes_at=timezone.now() + dt.timedelta(hours=1),
    )  # fmt: skip


def bet_without_pause(game_round: GameRound, seat: Seat, stop: threading.Event, accepted: list[float]) -> None:
    n = 0
    while not stop.is_set():
        n += 1
        placed: Placed = place_slip(
            NewSlip(
                key=f"storm:{seat.pk}:{n}", body_hash="", game_round_id=game_round.pk, seat_id=seat.pk,
                account_id=seat.account_id, in_play_id=game_round.table.in_play_id, unit="EUR", actor=f"player:{seat.player_id}",
                bets=(NewBet(n % 37, 50, 1_000_000_00),),
            )
        )  # fmt: skip
        if not placed.breaches:
            accepted.append(time.monotonic())


def storm(house: House) -> tuple[bool, float]:
    """24 bettors bet without pause while the round is closed; whether the digest holds, and how long closing took."""
    game_round = shared_round(house)
    seats = []
    for _ in range(BETTORS):
        player = house.player(100_000_00)
        wallet = open_wallet(player=player, unit=Unit.EUR)
        seats.append(Seat.objects.create(table=game_round.table, player=player, account=wallet, taken_at=NOON))
    stop = threading.Event()
    accepted: list[float] = []

    def close() -> float:
        while len(accepted) < 50:
            time.sleep(0.01)
        began = time.monotonic()
        # Early: the deadline is an hour away, so that the lock and the state alone protect.
        assert close_round(game_round_id=game_round.pk, at=timezone.now() + dt.timedelta(hours=2))
        took = time.monotonic() - began
        time.sleep(0.3)
        stop.set()
        return took

    acts: list[Callable[[], object]] = [
        lambda seat=seat: bet_without_pause(game_round, seat, stop, accepted) for seat in seats
    ]
    *others, took = at_once(*acts, close)
    assert others == [None] * BETTORS
    assert isinstance(took, float), took
    game_round.refresh_from_db()
    return digest_of_bets(game_round.pk) == game_round.bets_digest, took


def test_24_bettors_without_pause_against_a_closing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with placing_without(monkeypatch, ROUND_LOCK):
        kept = [storm(house)[0] for _ in range(3)]
    assert not all(kept), "without the round's lock bets come in behind the digest"
    for _ in range(3):
        digest_holds, took = storm(house)
        assert digest_holds
        assert took < 5


def test_a_player_who_enters_in_many_places_at_once_has_one_session(house: House) -> None:
    for _ in range(FEW_TRIES):
        player = house.player()
        answers = at_once(*[lambda p=player: enter_table(table=house.table, player=p, at=timezone.now()).pk] * 6)
        assert len(set(answers)) == 1, answers
    assert GameSession.objects.count() == FEW_TRIES


def test_leaving_and_placing_at_once_lose_no_bet(house: House) -> None:
    """A bet comes before the leaving and is played, or after it and is refused; none stands outside the digest."""
    for n in range(TRIES):
        maria = house.seated()
        maria.place(bet("black"))
        placed, left = at_once(
            lambda m=maria, n=n: place_bets(seat=m.seat, items=[bet("red")], key=f"leave:{n}", actor=m.actor),
            lambda m=maria: end_game_session(game_session=m.game_session, basis="player", at=timezone.now()),
        )
        assert isinstance(placed, SlipRefused) or placed.staked_cents == 100
        assert isinstance(left, GameSession)
        closed = maria.game_round
        assert closed.state == RoundState.CLOSED
        assert closed.bets_digest == digest_of_bets(closed.pk)
    sweep(key=DRAW_KEY, now=timezone.now)
    prove_books()


def test_a_seed_is_never_chosen_after_the_first_bet(house: House) -> None:
    for n in range(TRIES):
        maria = house.seated()
        placed, chosen = at_once(
            lambda m=maria, n=n: place_bets(seat=m.seat, items=[bet("red")], key=f"seed:{n}", actor=m.actor),
            lambda m=maria: choose_client_seed_of_seat(seat=m.seat, client_seed="mine"),
        )
        assert not isinstance(placed, Exception), placed
        assert chosen is None or isinstance(chosen, ClientSeedFixed)
        assert (maria.game_round.client_seed == "mine") is (chosen is None)


def test_play_goes_on_while_guards_are_looked_after() -> None:
    """Every start of the site migrates: what stands is left alone, what does not is laid without breaking a bet off."""
    # Long enough for a slow machine.
    house = make_house(launch_within_seconds=3600)
    players = [house.seated(balance_cents=100_000_00) for _ in range(6)]
    stop = threading.Event()
    placed: list[int] = []

    def bet_on(player: PlayerAtTable) -> None:
        n = 0
        while not stop.is_set():
            n += 1
            key = f"guards:{player.seat.pk}:{n}"
            # Straights in turn, each with room for thirty of these: no maximum is reached.
            items = [bet("straight", n % 37, stake="0.50")]
            placed.append(place_bets(seat=player.seat, items=items, key=key, actor=player.actor).slip_id)

    def look_after() -> str:
        try:
            for _ in range(20):
                guards.install(connection)
            for _ in range(3):
                guards.lift(connection)
                guards.install(connection)
        finally:
            stop.set()
        return "done"

    *bettors, looked_after = at_once(*[lambda p=player: bet_on(p) for player in players], look_after)
    assert bettors == [None] * len(players)
    assert looked_after == "done"
    assert len(placed) > 50
    assert guards.find_missing(connection) == []
    prove_books()


def test_one_key_spent_by_two_at_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    maria, joao = house.seated(), house.seated()
    at = house.at()
    with placing_without(monkeypatch, ACCOUNT_LOCK):
        answers = [
            answer
            for n in range(TRIES)
            for answer in at_once(
                *[lambda n=n: place_bets(seat=joao.seat, items=[bet("red")], key=f"torn:{n}", actor=joao.actor, at=at)]
                * 2
            )
        ]
    # Both found the key unspent. Its unique index keeps the money right, but the player is told a falsehood.
    assert any(isinstance(answer, IdempotencyConflict) for answer in answers), "without the lock nobody is answered"
    assert Slip.objects.count() == TRIES
    for n in range(TRIES):
        same = [
            lambda n=n: place_bets(seat=maria.seat, items=[bet("red")], key=f"twin:{n}", actor=maria.actor, at=at)
        ] * 2
        first, second = at_once(*same)
        assert {getattr(first, "replayed", first), getattr(second, "replayed", second)} == {True, False}
        mixed = at_once(
            lambda n=n: place_bets(seat=maria.seat, items=[bet("black")], key=f"mixed:{n}", actor=maria.actor, at=at),
            lambda n=n: place_bets(seat=joao.seat, items=[bet("black")], key=f"mixed:{n}", actor=joao.actor, at=at),
        )
        assert sum(isinstance(answer, IdempotencyConflict) for answer in mixed) == 1, mixed
    assert Slip.objects.count() == 3 * TRIES
    prove_books()


def test_one_key_spent_on_two_deposits_at_once(house: House) -> None:
    wallets = [open_wallet(player=house.player(0), unit=unit) for unit in (Unit.EUR, Unit.DEMO)]
    for n in range(TRIES):
        answers = at_once(
            *[
                lambda w=wallet, n=n: deposit(wallet=w, amount_cents=5, actor="system", at=NOON, key=f"k:{n}")
                for wallet in wallets
            ]
        )
        # One moved and the other is told why it did not, in the words of the ledger and not of the database.
        assert sorted(type(answer).__name__ for answer in answers) == ["IdempotencyConflict", "Transfer"]
    prove_books()


def test_a_round_settled_by_four_workers_at_once_pays_once(house: House) -> None:
    for _ in range(8):
        maria = house.seated()
        maria.place(bet("red"), bet("black"), bet("straight", 0))
        game_round = maria.launch()
        now = house.forward()
        answers = at_once(*[lambda r=game_round: advance_round(game_round_id=r.pk, key=DRAW_KEY, now=house.at)] * 4)
        assert answers == [None] * 4
        game_round.refresh_from_db()
        assert game_round.state == RoundState.SETTLED
        assert not settle_round(game_round_id=game_round.pk, at=now)
        prizes = Transfer.objects.filter(round_ref=game_round.pk, reason="prize").count()
        assert prizes == 1
        kinds = list(
            RoundEvent.objects.filter(game_round=game_round).order_by("sequence").values_list("kind", flat=True)
        )
        assert kinds == ["betting", "closed", "drawn", "settled"]
    prove_books()


class SlowLook:
    """The live bets of a round, at which a machine looks so slowly that others bet meanwhile."""

    def __init__(self, game_round_id: int) -> None:
        self.game_round_id = game_round_id

    def exists(self) -> bool:
        found = live_bets(self.game_round_id).exists()
        time.sleep(0.05)
        return found


def test_taking_back_against_the_launch(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(taking_back, "share_round", lambda game_round_id: None)
        patched.setattr(taking_back, "live_bets", SlowLook)
        maria = house.seated()
        placed = maria.place(bet("red"))
        maria.place(bet("black"))
        now = house.forward()

        def launch_a_moment_later() -> object:
            time.sleep(0.02)
            return close_round(game_round_id=maria.game_round.pk, at=now, launched=True)

        at_once(lambda: take_back(seat=maria.seat, slip_id=placed.slip_id, at=now), launch_a_moment_later)
        torn = maria.game_round
    assert digest_of_bets(torn.pk) != torn.bets_digest, "without the round's lock a sealed bet is taken away"
    for _ in range(TRIES):
        maria = house.seated()
        placed = maria.place(bet("red"))
        maria.place(bet("black"))
        now = house.forward()
        taken, launched = at_once(
            lambda m=maria, p=placed, at=now: take_back(seat=m.seat, slip_id=p.slip_id, at=at),
            lambda m=maria, at=now: close_round(game_round_id=m.game_round.pk, at=at, launched=True),
        )
        assert launched is True
        standing = 1 if not isinstance(taken, BettingClosed | NothingToTakeBack) else 2
        game_round = maria.game_round
        assert Bet.objects.filter(game_round=game_round, slip__withdrawal__isnull=True).count() == standing
        assert digest_of_bets(game_round.pk) == game_round.bets_digest
        assert maria.balance_cents == 100_00 - standing * 100
    # The one round that was torn is found, and nothing else.
    found = StringIO()
    with pytest.raises(CommandError):
        prove_books(stdout=found)
    assert found.getvalue().count("DIFFERS") == 1
    assert f"round {torn.pk}: the bets are not those that stood at closing" in found.getvalue()


def test_a_sum_in_the_statement_that_waits_for_the_lock_is_no_check(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock alone is not enough: a statement sees the world from before its own wait."""
    one_statement = {
        ACCOUNT_LOCK: "",
        "SELECT sum(o.wanted)": "WITH locked AS MATERIALIZED (SELECT a.id FROM wallets_account a WHERE a.id = p_account"
        " FOR NO KEY UPDATE) SELECT sum(o.wanted)",
        ") o;": ") o, locked;",
    }
    maria = house.seated(balance_cents=10_000_00)
    with placing_with(monkeypatch, one_statement):
        for number in range(TRIES):
            place_twice(maria, number)
    assert any(on_spot(maria, number) > 15_00 for number in range(TRIES))


def test_paying_twice_is_held_by_the_state_and_behind_it_by_the_outcomes(house: House) -> None:
    maria = house.seated()
    maria.place(bet("red"), bet("black"), bet("straight", 0))
    launched = maria.launch()
    assert draw_round(game_round_id=launched.pk, key=DRAW_KEY, at=house.forward())
    game_round = GameRound.objects.get(pk=launched.pk)

    def pay_without_asking() -> None:
        with transaction.atomic():
            settlement._pay(game_round, NOON)

    # Without the compare-and-set of the state both pay, and only a unique index sends one of them back.
    answers = at_once(pay_without_asking, pay_without_asking)
    assert sum(isinstance(answer, IntegrityError) for answer in answers) == 1, answers

    joao = house.seated()
    joao.place(bet("red"), bet("black"), bet("straight", 0))
    launched = joao.launch()
    assert draw_round(game_round_id=launched.pk, key=DRAW_KEY, at=house.forward())
    answers = at_once(*[lambda: settle_round(game_round_id=launched.pk, at=NOON)] * 4)
    assert sorted(map(bool, answers)) == [False, False, False, True], answers
    assert Transfer.objects.filter(round_ref=launched.pk, reason="prize").count() == 1


def bet_while_the_only_slip_is_taken_back(player: PlayerAtTable) -> tuple[bool, bool]:
    """Whether a bet stands after both are done, and whether the round has a deadline."""
    now = player.house.forward()
    placed = player.place(bet("red"))

    def place_a_moment_later() -> object:
        time.sleep(0.02)
        return place_bets(
            seat=player.seat, items=[bet("black")], key=f"meanwhile:{placed.slip_id}", actor=player.actor, at=now
        )

    answers = at_once(lambda: take_back(seat=player.seat, slip_id=placed.slip_id, at=now), place_a_moment_later)
    assert not [answer for answer in answers if isinstance(answer, Exception)], answers
    game_round = player.game_round
    return live_bets(game_round.pk).exists(), game_round.closes_at is not None


def test_betting_against_taking_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last slip that goes takes the deadline with it; a bet that comes meanwhile must not be left without one."""
    monkeypatch.setattr(taking_back, "live_bets", SlowLook)
    # Two things hold it: the lock, and that the deadline is looked at in the statement that sets it.
    looked_at_before = {
        ACCOUNT_LOCK: "",
        "IF p_deadline_seconds IS NOT NULL THEN": "IF p_deadline_seconds IS NOT NULL AND game.closes_at IS NULL THEN",
    }
    for _ in range(5):
        assert bet_while_the_only_slip_is_taken_back(house.seated()) == (True, True)
    # Before the guards are taken away: a bet that stands without a deadline is what the proof reports.
    prove_books()

    with placing_with(monkeypatch, looked_at_before):
        left = [bet_while_the_only_slip_is_taken_back(house.seated()) for _ in range(5)]
    assert (True, False) in left, "without the account's lock a bet stands in a round that no deadline closes"


def test_a_slip_taken_back_twice_at_once_comes_back_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def take_back_twice(player: PlayerAtTable) -> list[object]:
        placed = player.place(bet("red", stake="5.00"))
        now = house.forward()
        answers = at_once(*[lambda: take_back(seat=player.seat, slip_id=placed.slip_id, at=now)] * 2)
        assert player.balance_cents == 100_00
        assert player.game_round.closes_at is None
        return answers

    with monkeypatch.context() as patched:
        patched.setattr(taking_back, "lock_accounts", lambda *account_ids: {})
        answers = [answer for _ in range(FEW_TRIES) for answer in take_back_twice(house.seated())]
    # Both found it standing. The unique withdrawal keeps the money right, but one player is told of a fault.
    assert any(isinstance(answer, IntegrityError) for answer in answers), "without the lock both give the stake back"
    for _ in range(FEW_TRIES):
        first, second = take_back_twice(house.seated())
        assert isinstance(first, SlipWithdrawal), first
        assert first == second
    prove_books()
