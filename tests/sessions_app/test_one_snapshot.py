"""What is shown of a round while a worker settles it: how things stood before or after, never some of each."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from sessions_app.selectors.account import session_lines
from sessions_app.selectors.play import play_state
from sessions_app.selectors.rounds import round_of_player
from sessions_app.selectors.statement import statement_of
from tables.models import GameRound, RoundState
from tables.services.advance import advance_round
from tests.api.caller import Caller, make_key
from tests.house import DRAW_KEY, PlayerAtTable, bet, make_house
from tests.web.pages import client_of
from wallets.models import Scope

pytestmark = pytest.mark.django_db(transaction=True)
# Of either colour one wins, unless the ball falls on zero: then a mixture shows all the same, in the balance.
BETS = (bet("red", stake="2.00"), bet("black", stake="1.00"))
# More than any of these asks.
MOST_QUERIES = 40


@pytest.fixture
def maria() -> PlayerAtTable:
    maria = make_house().seated(500_00)
    maria.play(*BETS)
    return maria


def settle_elsewhere(maria: PlayerAtTable, game_round_id: int) -> None:
    """Do what a worker does, on a connection of its own; it opens the next round, too."""
    states: list[str] = []

    def work() -> None:
        try:
            advance_round(game_round_id=game_round_id, key=DRAW_KEY, now=maria.house.forward)
            states.append(GameRound.objects.get(pk=game_round_id).state)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert states == [RoundState.SETTLED]


def readings(maria: PlayerAtTable, read: Callable[[int], Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Read rounds before they are settled, while they are, after the first query, the second, and so on, and after."""
    for number in range(1, MOST_QUERIES):
        maria.place(*BETS)
        launched = maria.launch().pk
        before = read(launched)
        asked = 0

        def count(execute: Callable[..., Any], *query: Any, number: int = number, launched: int = launched) -> Any:
            nonlocal asked
            answer = execute(*query)
            if query[0].startswith("SELECT"):
                asked += 1
                if asked == number:
                    settle_elsewhere(maria, launched)
            return answer

        with connection.execute_wrapper(count):
            during = read(launched)
        if asked < number:
            return
        yield before, during, read(launched)
    pytest.fail("it asks more than expected")


def of_state(maria: PlayerAtTable, _: int) -> Any:
    state = play_state(maria.game_session)
    return (
        state.round and (state.round.game_round_id, state.round.state, state.round.stakes),
        state.last_play and (state.last_play.game_round_id, state.last_play.state, state.last_play.returned_cents),
        state.latest_numbers,
        state.balance_cents,
        state.sequence,
        state.statement.lines,
    )


def of_round(maria: PlayerAtTable, game_round_id: int) -> Any:
    played = round_of_player(player=maria.seat.player, game_round_id=game_round_id)
    assert played is not None
    return played.game_round.state, played.winning, played.stakes, played.draw is None


def of_lines(maria: PlayerAtTable, _: int) -> Any:
    (line,) = session_lines(maria.seat.player, limit=5)
    return line.rounds, line.staked_cents, line.returned_cents


@pytest.mark.article("pt:6", "pt:26", "pt:28")
@pytest.mark.parametrize(
    "read", [of_state, lambda maria, _: statement_of(maria.game_session).lines, of_round, of_lines],
    ids=["the play", "the statement", "a look back", "a list of sessions"],
)  # fmt: skip
def test_a_round_that_is_settled_meanwhile_is_shown_whole_or_not_at_all(
    maria: PlayerAtTable, read: Callable[[PlayerAtTable, int], Any]
) -> None:
    tried = 0
    for before, during, after in readings(maria, lambda game_round_id: read(maria, game_round_id)):
        assert before != after
        assert during in (before, after)
        tried += 1
    assert tried >= 2


def test_the_api_does_not_contradict_itself_on_money(maria: PlayerAtTable) -> None:
    caller = Caller(make_key(Scope.READ))

    def read(_: int) -> Any:
        said = caller.get(f"sessions/{maria.game_session.pk}").json()
        return said["balance"], said["round"], said["last_play"]

    tried = 0
    for before, during, after in readings(maria, read):
        assert during in (before, after)
        tried += 1
    assert tried > 2


def test_the_account_shows_balance_and_sessions_of_one_instant(maria: PlayerAtTable) -> None:
    client: Client = client_of(maria.seat.player)

    def read(_: int) -> Any:
        context = client.get("/account/").context
        (wallet,) = [one.balance_cents for one in context["balances"] if one.unit == "EUR"]
        (line,) = context["lines"]
        return wallet - line.net_cents, line.rounds

    for _before, (difference, rounds), (_, after) in readings(maria, read):
        # The stakes of a round that is not decided are neither in the wallet nor in the line.
        assert difference == (500_00 if rounds == after else 497_00)
