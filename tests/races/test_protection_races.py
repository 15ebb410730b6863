"""What protects a player holds also in the moment in which it changes."""

import itertools
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, transaction

from roulette_site.common.sql import database_now
from sessions_app.models import EndBasis, GameSession
from sessions_app.services import game_sessions, protection
from sessions_app.services.game_sessions import start_game_session
from tables.models import Seat, Slip
from tables.services.betting import PlacedSlip, SlipRefused, place_bets
from tests.house import House, PlayerAtTable, bet, prove_books
from wallets.models import Account, LimitKind, LimitPeriod, Player, PlayerDay
from wallets.selectors.gates import gates_of
from wallets.services import limits
from wallets.services.exclusion import exclude_self
from wallets.services.limits import set_own_limit

from .racing import ACCOUNT_LOCK, FEW_TRIES, TRIES, at_once, placing_without

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
THREADS = 8
# Nobody waits so long unless something hangs.
LONGEST_SECONDS = 10.0
_keys = itertools.count(1)


def slip(player: PlayerAtTable, stake: str = "6.00", kind: str = "red") -> Callable[[], PlacedSlip]:
    key = f"race:{player.seat.pk}:{next(_keys)}"
    return lambda: place_bets(seat=player.seat, items=[bet(kind, stake=stake)], key=key, actor=player.actor)


def limited(house: House, cents: int = 10_00) -> PlayerAtTable:
    player = house.seated(balance_cents=1_000_00)
    set_own_limit(
        player=player.seat.player, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=cents, at=database_now()
    )
    return player


def staked(player: PlayerAtTable) -> int:
    return sum(PlayerDay.objects.filter(account=player.wallet).values_list("staked_cents", flat=True))


def test_two_slips_for_what_a_loss_limit_leaves(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with placing_without(monkeypatch, ACCOUNT_LOCK):
        players = [limited(house) for _ in range(TRIES)]
        for player in players:
            at_once(slip(player), slip(player, kind="black"))
    assert any(staked(player) > 10_00 for player in players), "without the account's lock both find the limit unused"

    for _ in range(FEW_TRIES):
        player = limited(house)
        answers = at_once(*[slip(player) for _ in range(THREADS)])
        assert sum(isinstance(answer, SlipRefused) for answer in answers) == THREADS - 1, answers
        assert (staked(player), player.balance_cents) == (6_00, 994_00)
    call_command("verify", "balances", "player_days", "gates", "player_limits")


def bet_without_pause(player: PlayerAtTable, until: threading.Event) -> list[object]:
    """Keep betting until told to stop; what was refused."""
    refused: list[object] = []
    while not until.is_set():
        try:
            slip(player, stake="0.50")()
        except SlipRefused as error:
            refused.append([breach["reason"] for breach in error.breaches])
    return refused


def late_slips(player: PlayerAtTable) -> int:
    """Exclude a player who bets without pause in several threads; how many slips stand after he was told so."""
    stop = threading.Event()

    def exclude() -> int:
        while Slip.objects.filter(seat=player.seat).count() < THREADS:
            pass
        exclude_self(player=player.seat.player, term="24 hours", at=database_now())
        before = Slip.objects.filter(seat=player.seat).count()
        stop.wait(0.2)
        stop.set()
        return before

    *_, before = at_once(*[lambda: bet_without_pause(player, stop)] * THREADS, exclude)
    assert isinstance(before, int), before
    return Slip.objects.filter(seat=player.seat).count() - before


def test_no_slip_comes_after_an_exclusion(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(FEW_TRIES):
        assert late_slips(house.seated(balance_cents=1_000_00)) == 0
    # Before the lock is taken away: what is placed without it has deadlines that the proof does not let pass.
    prove_books()

    with placing_without(monkeypatch, ACCOUNT_LOCK):
        late = [late_slips(house.seated(balance_cents=1_000_00)) for _ in range(FEW_TRIES)]
    assert any(late), "without the account's lock a slip that has looked before is placed after"


def test_who_excludes_himself_while_he_bets_meets_no_deadlock(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip holds the round and waits for the account; ending his session waits for the round."""
    ended = protection.end_game_session

    def end_slowly(**arguments: Any) -> GameSession:
        time.sleep(0.05)
        return ended(**arguments)

    monkeypatch.setattr(protection, "end_game_session", end_slowly)

    def exclude_while_betting(player: PlayerAtTable, *, in_one: bool) -> list[object]:
        stop = threading.Event()

        def exclude() -> None:
            try:
                with transaction.atomic() if in_one else nullcontext():
                    protection.exclude(player=player.seat.player, term="24 hours", at=database_now())
            finally:
                stop.set()

        return at_once(lambda: bet_without_pause(player, stop), lambda: bet_without_pause(player, stop), exclude)

    def deadlocks(answers: list[object]) -> list[object]:
        return [one for one in answers if isinstance(one, OperationalError)]

    assert any(deadlocks(exclude_while_betting(house.seated(), in_one=True)) for _ in range(FEW_TRIES))
    for _ in range(FEW_TRIES):
        player = house.seated()
        answers = exclude_while_betting(player, in_one=False)
        assert not [one for one in answers if isinstance(one, Exception)], answers
        assert GameSession.objects.get(seat=player.seat).end_basis == EndBasis.EXCLUSION
    call_command("verify", "gates", "game_sessions")


def test_no_session_begins_past_a_limit_of_time_set_meanwhile(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sits down while his time is taken away is either not seated or held to it."""

    has_looked, is_set = threading.Event(), threading.Event()
    patience = 0.0

    def sit_down_meanwhile(player: Player) -> list[object]:
        has_looked.clear()
        is_set.clear()

        def take_time_away() -> None:
            assert has_looked.wait(LONGEST_SECONDS)
            set_own_limit(
                player=player, kind=LimitKind.SESSION_TIME, period=LimitPeriod.DAY, value=0, at=database_now()
            )
            is_set.set()

        return at_once(lambda: start_game_session(table=house.table, player=player, at=database_now()), take_time_away)

    def plays_on(player: Player) -> bool:
        return Seat.objects.filter(player=player, left_at__isnull=True, play_until__isnull=True).exists()

    steered = game_sessions.steer_seat

    def steer_slowly(**what: Any) -> None:
        # The player's limits are read by now.
        has_looked.set()
        is_set.wait(patience)
        steered(**what)

    monkeypatch.setattr(game_sessions, "steer_seat", steer_slowly)
    with monkeypatch.context() as patched:
        patched.setattr(game_sessions, "lock_player", lambda player: player)
        patience = LONGEST_SECONDS
        player = house.player()
        sit_down_meanwhile(player)
    assert plays_on(player), "without the player's lock neither sees the other"
    # With it the other waits until the seat is taken.
    patience = 0.05
    for _ in range(FEW_TRIES):
        player = house.player()
        sit_down_meanwhile(player)
        assert not plays_on(player)


def test_two_limits_at_once_leave_the_wallet_as_the_rows_say(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def set_both(player: PlayerAtTable) -> list[object]:
        return at_once(
            *[
                lambda value=value, period=period: set_own_limit(
                    player=player.seat.player, kind=LimitKind.LOSS, period=period, value=value, at=database_now()
                )
                for value, period in ((10_00, LimitPeriod.DAY), (50_00, LimitPeriod.MONTH))
            ]
        )

    def is_wrong(player: PlayerAtTable) -> bool:
        wallet, now = player.wallet, Player.objects.get(pk=player.seat.player_id)
        return any(getattr(wallet, name) != due for name, due in gates_of(now, wallet.unit).items())

    def fold_slowly(player: Player) -> None:
        found = {account.pk: gates_of(player, account.unit) for account in Account.objects.filter(player=player)}
        time.sleep(0.02)
        for pk, values in found.items():
            Account.objects.filter(pk=pk).update(**values)

    with monkeypatch.context() as patched:
        patched.setattr(limits, "lock_player", lambda player: player)
        patched.setattr(limits, "refresh_gates", fold_slowly)
        players = [house.seated() for _ in range(TRIES)]
        for player in players:
            set_both(player)
    assert any(map(is_wrong, players)), "without the lock the one folds without the other's row"

    for _ in range(TRIES):
        player = house.seated()
        set_both(player)
        assert not is_wrong(player)
