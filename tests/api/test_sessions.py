"""Game sessions through REST: keys and scopes, a play from sitting down to the statement, and every refusal."""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone

from sessions_app.models import GameSession
from tables.models import Bet, GameRound, Slip
from tables.services.advance import advance_round, open_individual_round
from tables.services.rounds import draw_round
from tests.house import DRAW_KEY, House, bet, make_house
from wallets.models import Scope, Transfer

from .caller import Caller, make_key
from .problems import amounts_of, problem

pytestmark = pytest.mark.django_db


@dataclass
class Table:
    """A player at a table who plays through the API alone."""

    caller: Caller
    house: House
    session: int

    @property
    def seat_id(self) -> int:
        return GameSession.objects.get(pk=self.session).seat_id

    @property
    def game_round(self) -> GameRound:
        return GameRound.objects.filter(seat=self.seat_id).latest("number")

    def open_round(self) -> GameRound:
        """Do what a worker does after a player sits down."""
        opened = open_individual_round(seat_id=self.seat_id, key=DRAW_KEY, at=timezone.now())
        assert opened is not None
        return opened

    def settle_round(self) -> GameRound:
        """Do what a worker does after the ball is launched."""
        game_round = self.game_round
        advance_round(game_round_id=game_round.pk, key=DRAW_KEY, now=timezone.now)
        game_round.refresh_from_db()
        assert game_round.state == "settled"
        return game_round

    def read(self) -> dict[str, Any]:
        response = self.caller.get(f"sessions/{self.session}")
        assert response.status_code == 200
        said: dict[str, Any] = response.json()
        return said

    def place(self, *bets: Any, key: str = "key-00001") -> Any:
        return self.post("bets", {"bets": list(bets)}, **{"Idempotency-Key": key})

    def post(self, act: str, body: Any = None, **headers: str) -> Any:
        return self.caller.post(f"sessions/{self.session}/{act}", body, **headers)


@pytest.fixture
def caller() -> Caller:
    return Caller(make_key(Scope.PLAY, Scope.READ))


@pytest.fixture
def house() -> House:
    return make_house(minimum_cents=100, stake_step_cents=10, total_limit_cents=500_00)


def sit_down(caller: Caller, house: House, balance_cents: int = 100_00) -> Table:
    player = house.player(balance_cents)
    response = caller.post("sessions", {"player": player.handle, "table": house.table.slug})
    assert response.status_code == 201
    table = Table(caller, house, response.json()["id"])
    table.open_round()
    return table


@pytest.fixture
def table(caller: Caller, house: House) -> Table:
    return sit_down(caller, house)


def rows() -> tuple[int, int, int]:
    return Transfer.objects.count(), Slip.objects.count(), Bet.objects.count()


Act = Callable[[Caller], Any]
READS: dict[str, Act] = {
    "tables": lambda caller: caller.get("tables"),
    "session": lambda caller: caller.get("sessions/1"),
    "statement": lambda caller: caller.get("sessions/1/statement"),
}
PLAYS: dict[str, Act] = {
    "start": lambda caller: caller.post("sessions", {"player": "maria", "table": "solo"}),
    "bets": lambda caller: caller.post("sessions/1/bets", {"bets": [bet("red")]}, **{"Idempotency-Key": "key-00001"}),
    "spin": lambda caller: caller.post("sessions/1/spin"),
    "end": lambda caller: caller.post("sessions/1/end"),
}
ACTS = READS | PLAYS


def refused_at_the_door(response: Any) -> None:
    if response.status_code == 401:
        problem(response, 401, "not_authenticated")
        # HTTP wants it there: it says how to come in.
        assert "WWW-Authenticate" in response
    else:
        problem(response, 403, "permission_denied")


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_nobody_comes_in_without_a_key(act: Act) -> None:
    refused_at_the_door(act(Caller()))


@pytest.mark.parametrize("key", ["nonsense", "abcdefgh.nonsense", "abcdefgh.", ".", "x" * 5_000, "\u00e9.\u00e9"])
def test_nobody_comes_in_with_a_key_that_there_is_not(key: str) -> None:
    refused_at_the_door(ACTS["tables"](Caller(key)))


def test_a_key_that_was_revoked_or_has_run_out_opens_nothing() -> None:
    refused_at_the_door(ACTS["tables"](Caller(make_key(Scope.READ, revoked=True))))
    yesterday = timezone.now() - dt.timedelta(days=1)
    refused_at_the_door(ACTS["tables"](Caller(make_key(Scope.READ, expiry_date=yesterday))))


@pytest.mark.parametrize("act", READS.values(), ids=READS)
def test_reading_needs_the_scope_to_read(act: Act) -> None:
    problem(act(Caller(make_key(Scope.PLAY))), 403, "permission_denied")
    problem(act(Caller(make_key())), 403, "permission_denied")
    assert act(Caller(make_key(Scope.READ))).status_code in (200, 404)


@pytest.mark.parametrize("act", PLAYS.values(), ids=PLAYS)
def test_playing_needs_the_scope_to_play(act: Act) -> None:
    problem(act(Caller(make_key(Scope.READ))), 403, "permission_denied")
    problem(act(Caller(make_key())), 403, "permission_denied")
    problem(act(Caller(make_key(Scope.PLAY))), 404, "not_found")


@pytest.mark.parametrize("session_id", [0, 2**31, 2**63, 2**64, 10**40])
def test_a_session_that_there_is_not_is_not_found(caller: Caller, session_id: int) -> None:
    for address in (f"sessions/{session_id}", f"sessions/{session_id}/statement"):
        problem(caller.get(address), 404, "not_found")
    key = {"Idempotency-Key": "key-00001"}
    problem(caller.post(f"sessions/{session_id}/bets", {"bets": [bet("red")]}, **key), 404, "not_found")
    for act in ("spin", "end"):
        problem(caller.post(f"sessions/{session_id}/{act}"), 404, "not_found")


def test_another_method_is_a_problem(caller: Caller, table: Table) -> None:
    problem(caller.get("sessions"), 405, "method_not_allowed")
    for act in ("bets", "spin", "end"):
        problem(caller.get(f"sessions/{table.session}/{act}"), 405, "method_not_allowed")
    problem(caller.post("tables"), 405, "method_not_allowed")


def test_the_list_of_tables(caller: Caller, house: House) -> None:
    response = caller.get("tables")
    assert response.status_code == 200
    (listed,) = [one for one in response.json() if one["slug"] == house.table.slug]
    assert listed == {
        "slug": house.table.slug,
        "name": house.table.name,
        "kind": "individual",
        "unit": "EUR",
        "number_source": "drawn",
        "state": "open",
        "minimum": "1.00",
        "rulebook": "pt-online",
        "rules_version": house.table.rules.version,
    }


@pytest.mark.article("pt:29")
def test_sitting_down_starts_a_session_and_coming_back_finds_it(caller: Caller, house: House) -> None:
    asked = {"player": house.player(50_00).handle, "table": house.table.slug}
    first, second = caller.post("sessions", asked), caller.post("sessions", asked)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    said = first.json()
    assert (said["player"], said["table"], said["unit"]) == (asked["player"], asked["table"], "EUR")
    assert (said["balance"], said["round"], said["last_play"], said["ended_at"]) == ("50.00", None, None, None)
    assert GameSession.objects.count() == 1


def test_who_left_sits_down_in_a_new_session(table: Table) -> None:
    assert table.post("end").status_code == 200
    again = {"player": table.read()["player"], "table": table.house.table.slug}
    response = table.caller.post("sessions", again)
    assert response.status_code == 201
    assert response.json()["id"] != table.session


def test_an_unknown_player_or_table_is_not_found(caller: Caller, house: House) -> None:
    handle, slug = house.player().handle, house.table.slug
    problem(caller.post("sessions", {"player": "nobody", "table": slug}), 404, "not_found")
    problem(caller.post("sessions", {"player": handle, "table": "nowhere"}), 404, "not_found")
    assert not GameSession.objects.exists()


def test_a_table_that_is_not_open_takes_nobody(caller: Caller, house: House) -> None:
    type(house.table).objects.filter(pk=house.table.pk).update(state="closed")
    asked = {"player": house.player().handle, "table": house.table.slug}
    problem(caller.post("sessions", asked), 409, "table_not_open")
    assert not GameSession.objects.exists()


NO_INPUT: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"hello",
    "array": b"[]",
    "text": b'"maria"',
    "null": b"null",
    "no player": b'{"table": "solo"}',
    "numbers": b'{"player": 1, "table": [2]}',
    "a blank": b'{"player": "maria silva", "table": "solo"}',
    "surrogate": b'{"player": "\\ud800", "table": "solo"}',
    "surrogate as key": b'{"player": "maria", "table": "solo", "\\ud800": 1}',
    "NUL": b'{"player": "a\\u0000b", "table": "solo"}',
    "not UTF-8": b'{"player": "\xff", "table": "solo"}',
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "huge integer": b'{"player": ' + b"1" * 5_000 + b', "table": "solo"}',
    "NaN": b'{"player": NaN, "table": "solo"}',
}


@pytest.mark.parametrize("body", NO_INPUT.values(), ids=NO_INPUT)
def test_what_is_no_input_is_a_problem(caller: Caller, table: Table, body: bytes) -> None:
    for address, headers in (("sessions", {}), (f"sessions/{table.session}/bets", {"Idempotency-Key": "key-00001"})):
        response = caller.post(address, body, **headers)
        # The numbers are text to a lenient reader, and then nobody has that name.
        assert response.status_code in (400, 404)
        problem(response, response.status_code, response.json()["code"])


@pytest.mark.article("pt:9")
def test_a_slip_is_placed_and_shown(table: Table) -> None:
    response = table.place(bet("straight", 17, stake="2.00"), bet("red", stake="5.00"))
    assert response.status_code == 201
    assert "Idempotent-Replayed" not in response
    said = response.json()
    assert (said["staked"], said["balance"], said["round"]) == ("7.00", "93.00", table.game_round.pk)
    shown = table.read()
    assert shown["balance"] == "93.00"
    running = shown["round"]
    assert (running["id"], running["state"], running["staked"]) == (said["round"], "betting", "7.00")
    assert running["bets"] == [
        {"type": "straight", "on": [17], "stake": "2.00", "returned": None},
        {"type": "red", "stake": "5.00", "returned": None},
    ]
    assert len(running["commitment"]) == 64
    assert len(amounts_of(shown)) == 5


def test_what_lies_on_the_cloth_can_be_placed_again_as_it_is_shown(table: Table) -> None:
    table.place(bet("dozen", 2), bet("split", 14, 17), bet("even"))
    shown = table.read()["round"]["bets"]
    assert [one.get("on") for one in shown] == [[14, 17], 2, None]
    again = [{key: one[key] for key in one if key != "returned"} for one in shown]
    placed = table.place(*again, key="key-00002")
    assert placed.status_code == 201, placed.json()
    assert {one["stake"] for one in table.read()["round"]["bets"]} == {"2.00"}


@pytest.mark.article("pt:8")
def test_a_call_bet_is_placed_as_its_parts(table: Table) -> None:
    response = table.place({"call": "neighbours", "number": 0, "neighbours": 2, "unit": "1.00"})
    assert response.json()["staked"] == "3.00"
    assert [one["on"] for one in table.read()["round"]["bets"]] == [[0], [26], [32]]


@pytest.mark.parametrize("key", [None, "", "short", "x" * 65, "with a blank", "tab\tinside", "\u00fcmlauts-xx"])
def test_placing_needs_an_idempotency_key(table: Table, key: str | None) -> None:
    before = rows()
    headers = {} if key is None else {"Idempotency-Key": key}
    problem(table.post("bets", {"bets": [bet("red")]}, **headers), 400, "idempotency_key_required")
    assert rows() == before


def test_the_same_call_again_is_answered_again_and_moves_nothing(table: Table) -> None:
    first = table.place(bet("red", stake="5.00"))
    before = rows()
    again = table.place(bet("red", stake="5.00"))
    assert (first.status_code, again.status_code, again["Idempotent-Replayed"]) == (201, 200, "true")
    assert again.json() == first.json()
    assert rows() == before
    assert table.read()["balance"] == "95.00"


def test_it_is_answered_again_after_the_round_too(table: Table) -> None:
    # Whatever number falls, the balance is another then.
    bets = [bet("straight", number) for number in range(37)]
    first = table.place(*bets).json()
    table.post("spin")
    table.settle_round()
    before = rows()
    again = table.place(*bets)
    assert (again.status_code, again["Idempotent-Replayed"]) == (200, "true")
    assert {name: again.json()[name] for name in ("slip", "round", "staked")} == {
        name: first[name] for name in ("slip", "round", "staked")
    }
    assert again.json()["balance"] in (first["balance"], table.read()["balance"])
    assert rows() == before


def test_it_is_answered_again_after_the_session_too(table: Table) -> None:
    first = table.place(bet("red", stake="5.00")).json()
    table.post("end")
    before = rows()
    again = table.place(bet("red", stake="5.00"))
    assert (again.status_code, again["Idempotent-Replayed"]) == (200, "true")
    assert {name: again.json()[name] for name in ("slip", "round", "staked")} == {
        name: first[name] for name in ("slip", "round", "staked")
    }
    assert rows() == before


def test_it_is_answered_again_where_it_would_be_refused_by_now(table: Table) -> None:
    first = table.place(bet("red", stake="5.00")).json()
    table.post("spin")
    type(table.house.table).objects.filter(pk=table.house.table.pk).update(minimum_cents=10_00)
    table.settle_round()
    assert table.game_round.minimum_cents == 10_00
    again = table.place(bet("red", stake="5.00"))
    assert (again.status_code, again["Idempotent-Replayed"]) == (200, "true")
    assert (again.json()["slip"], again.json()["round"]) == (first["slip"], first["round"])
    problem(table.place(bet("red", stake="5.00"), key="key-00002"), 409, "slip_refused")


def test_the_order_of_names_is_not_another_body(table: Table) -> None:
    key = {"Idempotency-Key": "key-00001"}
    table.post("bets", b'{"bets": [{"type": "red", "stake": "1.00"}]}', **key)
    again = table.post("bets", b' {"bets":[{"stake":"1.00","type":"red"}]}', **key)
    assert (again.status_code, again["Idempotent-Replayed"]) == (200, "true")


def test_a_key_that_was_spent_on_another_body_is_refused(table: Table) -> None:
    table.place(bet("red", stake="5.00"))
    before = rows()
    for other in ([bet("red", stake="6.00")], [bet("black", stake="5.00")], [bet("red", stake="5.00")] * 2):
        problem(table.place(*other), 422, "idempotency_conflict")
    assert rows() == before


def test_a_key_that_was_spent_in_another_session_is_refused(caller: Caller, house: House) -> None:
    one, other = sit_down(caller, house), sit_down(caller, house)
    assert one.place(bet("red")).status_code == 201
    before = rows()
    problem(other.place(bet("red")), 422, "idempotency_conflict")
    assert rows() == before


def test_two_systems_do_not_meet_in_a_key(table: Table) -> None:
    assert table.place(bet("red")).status_code == 201
    other = Table(Caller(make_key(Scope.PLAY, Scope.READ)), table.house, table.session)
    assert other.place(bet("red")).status_code == 201
    assert table.read()["round"]["staked"] == "2.00"


def test_a_refusal_spends_no_key(table: Table) -> None:
    problem(table.place(bet("red", stake="0.50")), 409, "slip_refused")
    assert table.place(bet("red", stake="1.00")).status_code == 201


def test_a_refusal_names_every_breach_and_moves_nothing(table: Table) -> None:
    before = rows()
    response = table.place(
        bet("straight", 17, stake="31.00"),
        bet("straight", 37, stake="1.00"),
        bet("red", stake="0.55"),
        {"call": "salmon", "unit": "1.00"},
        {"type": "black", "stake": 1},
        bet("even", stake="480.00"),
    )
    said = problem(response, 409, "slip_refused")
    assert {(one["bet"], one["reason"]) for one in said["breaches"]} == {
        (None, "balance_too_low"),
        (0, "above_maximum"),
        (1, "invalid_spot"),
        (2, "below_minimum"),
        (2, "off_step"),
        (3, "not_offered"),
        (4, "invalid_stake"),
        (None, "above_total_limit"),
    }
    assert all(isinstance(one["message"], str) and one["message"] for one in said["breaches"])
    (highest,) = [one for one in said["breaches"] if one["reason"] == "above_maximum"]
    assert (highest["minimum"], highest["maximum"]) == ("1.00", "30.00")
    amounts_of(said)
    assert rows() == before
    assert table.read()["balance"] == "100.00"


@pytest.mark.article("pt:12")
def test_the_limits_hold_over_the_slips_of_a_round(table: Table) -> None:
    assert table.place(bet("straight", 17, stake="30.00")).status_code == 201
    said = problem(table.place(bet("straight", 17, stake="1.00"), key="key-00002"), 409, "slip_refused")
    assert [(one["bet"], one["reason"]) for one in said["breaches"]] == [(0, "above_maximum")]


@pytest.mark.parametrize(
    "stake",
    [1, 1.0, 1e3, True, None, "1e3", "-1.00", "1.005", "\uff11.00", "1" + "0" * 30, "NaN", ["1.00"], {}, "\ud800"],
)
def test_a_stake_is_text_with_digits(table: Table, stake: Any) -> None:
    before = rows()
    said = problem(table.place({"type": "red", "stake": stake}), 409, "slip_refused")
    assert [(one["bet"], one["reason"]) for one in said["breaches"]] == [(0, "invalid_stake")]
    assert rows() == before


@pytest.mark.parametrize("item", [{"type": "\ud800", "stake": "1.00"}, {"call": "\ud800"}, {"\ud800": 1}, {}])
def test_an_item_that_is_no_bet_is_refused(table: Table, item: Any) -> None:
    problem(table.place(item), 409, "slip_refused")


@pytest.mark.parametrize(
    ("bets", "reasons"),
    [
        ([], ["empty_slip"]),
        ([bet("red")] * 1001, ["too_many_bets"]),
        *[([item], ["invalid_spot", "invalid_stake"]) for item in (1, "red", None, [bet("red")], True, 1.5)],
    ],
)
def test_a_slip_without_bets_or_with_too_many_is_refused_by_name(table: Table, bets: Any, reasons: list[str]) -> None:
    before = rows()
    said = problem(table.place(*bets), 409, "slip_refused")
    assert [one["reason"] for one in said["breaches"]] == reasons
    assert rows() == before


@pytest.mark.parametrize("body", [{}, {"bets": [bet("red")], "x": 1}, {"bet": [bet("red")]}, []])
def test_a_body_of_another_shape_is_refused(table: Table, body: Any) -> None:
    before = rows()
    problem(table.post("bets", body, **{"Idempotency-Key": "key-00001"}), 400, "invalid_request")
    assert rows() == before


@pytest.mark.parametrize("bets", [None, "red", {}, 1])
def test_a_body_without_bets_is_no_slip(table: Table, bets: Any) -> None:
    before = rows()
    response = table.post("bets", {"bets": bets}, **{"Idempotency-Key": "key-00001"})
    problem(response, 400, "invalid_request")
    assert rows() == before


def test_a_name_given_twice_is_not_guessed_at(table: Table) -> None:
    before = rows()
    body = b'{"bets": [{"type": "red", "stake": "1.00", "stake": "50.00"}]}'
    response = table.post("bets", body, **{"Idempotency-Key": "key-00001"})
    assert response.status_code in (400, 409)
    assert rows() == before


def test_a_body_is_bounded(table: Table) -> None:
    before = rows()
    body = json.dumps({"bets": [bet("red")]}).encode() + b" " * (1024 * 1024)
    response = table.post("bets", body, **{"Idempotency-Key": "key-00001"})
    assert response.status_code in (400, 413)
    problem(response, response.status_code, response.json()["code"])
    assert rows() == before


def test_the_largest_slip_is_placed(caller: Caller) -> None:
    table = sit_down(caller, make_house(minimum_cents=10, stake_step_cents=10))
    spots = [bet("straight", number, stake="0.10") for number in range(37)]
    response = table.place(*(spots * 28)[:1000])
    assert (response.status_code, response.json()["staked"], response.json()["balance"]) == (201, "100.00", "0.00")


def test_a_closed_round_takes_no_bets(table: Table) -> None:
    table.place(bet("red"))
    table.post("spin")
    before = rows()
    said = problem(table.place(bet("red"), key="key-00002"), 409, "slip_refused")
    assert [(one["bet"], one["reason"]) for one in said["breaches"]] == [(None, "betting_closed")]
    assert rows() == before


def test_before_the_first_round_there_is_nothing_to_bet_on(caller: Caller, house: House) -> None:
    asked = {"player": house.player().handle, "table": house.table.slug}
    table = Table(caller, house, caller.post("sessions", asked).json()["id"])
    said = problem(table.place(bet("red")), 409, "slip_refused")
    assert [one["reason"] for one in said["breaches"]] == ["betting_closed"]


def test_an_ended_session_takes_no_bets(table: Table) -> None:
    table.post("end")
    before = rows()
    problem(table.place(bet("red")), 409, "slip_refused")
    assert rows() == before


@pytest.mark.article("pt:17")
def test_a_ball_is_launched_only_after_a_bet(table: Table) -> None:
    problem(table.post("spin"), 409, "nothing_staked")
    assert table.read()["round"]["state"] == "betting"


@pytest.mark.article("pt:17")
def test_launching_closes_the_bets_and_a_worker_does_the_rest(table: Table) -> None:
    table.place(bet("red"))
    response = table.post("spin")
    assert (response.status_code, response.json()["round"]["state"]) == (202, "closed")
    assert response.json()["last_play"] is None
    problem(table.post("spin"), 409, "betting_closed")


def test_a_launch_that_names_its_round_can_be_sent_again_and_launches_no_other(table: Table) -> None:
    table.place(bet("red"))
    first = table.game_round.pk
    assert table.post("spin", {"round": first}).status_code == 202
    assert table.post("spin", {"round": first}).status_code == 202
    table.settle_round()
    table.place(bet("red"), key="key-00002")
    again = table.post("spin", {"round": first})
    assert (again.status_code, again.json()["round"]["state"]) == (202, "betting")
    assert table.game_round.pk != first
    for other in (0, -1, "one", "1", "\uff11", 1.5, None, 10**30, True):
        problem(table.post("spin", {"round": other}), 400, "invalid_request")
    problem(table.post("spin", {"round": 10**9}), 404, "no_such_round")


def test_without_a_round_there_is_no_ball(caller: Caller, house: House) -> None:
    asked = {"player": house.player().handle, "table": house.table.slug}
    session = caller.post("sessions", asked).json()["id"]
    response = caller.post(f"sessions/{session}/spin")
    problem(response, 409, response.json()["code"])


def test_an_ended_session_launches_nothing(table: Table) -> None:
    table.post("end")
    response = table.post("spin")
    problem(response, 409, response.json()["code"])


@pytest.mark.article("pt:26")
def test_the_last_play_is_shown_as_it_was_settled(table: Table) -> None:
    table.place(bet("red", stake="2.00"), bet("black", stake="2.00"), {"type": "straight", "on": [0], "stake": "1.00"})
    table.post("spin")
    settled = table.settle_round()
    shown = table.read()
    last = shown["last_play"]
    number = settled.winning_number
    assert number is not None
    returned = "36.00" if number == 0 else "4.00"
    net = "31.00" if number == 0 else "-1.00"
    assert (last["id"], last["state"], last["winning_number"]) == (settled.pk, "settled", number)
    assert (last["staked"], last["returned"], last["net"]) == ("5.00", returned, net)
    assert len(last["seed"]) == 64
    assert shown["balance"] == ("131.00" if number == 0 else "99.00")
    # The next round is open, with nothing on it.
    assert (shown["round"]["number"], shown["round"]["bets"]) == (settled.number + 1, [])
    amounts_of(shown)


def test_a_number_that_is_not_paid_yet_is_told_without_money(table: Table) -> None:
    table.place(bet("red"), bet("black"))
    table.post("spin")
    draw_round(game_round_id=table.game_round.pk, key=DRAW_KEY, at=timezone.now())
    last = table.read()["last_play"]
    assert (last["state"], last["staked"], last["returned"], last["net"]) == ("drawn", "2.00", None, None)
    assert [one["returned"] for one in last["bets"]] == [None, None]


@pytest.mark.article("pt:28")
def test_the_statement_adds_up(table: Table) -> None:
    returned = []
    for n in range(3):
        table.place(bet("red", stake="2.00"), bet("dozen", 1, stake="1.00"), key=f"round-{n:04}")
        table.post("spin")
        settled = table.settle_round()
        last = table.read()["last_play"]
        returned.append((settled.number, settled.winning_number, last["returned"], last["net"]))
    said = table.caller.get(f"sessions/{table.session}/statement").json()
    assert (said["session"], said["unit"], said["rounds"]) == (table.session, "EUR", 3)
    assert [(one["round"], one["winning_number"], one["returned"], one["net"]) for one in said["lines"]] == [
        *reversed(returned)
    ]
    assert {(one["state"], one["staked"]) for one in said["lines"]} == {("settled", "3.00")}
    cents = {name: int(said[name].replace(".", "")) for name in ("staked", "prizes", "returned", "net", "undecided")}
    assert cents["staked"] == 900
    assert cents["returned"] == sum(int(one["returned"].replace(".", "")) for one in said["lines"])
    assert cents["net"] == cents["returned"] - 900
    assert cents["undecided"] == 0
    assert table.read()["balance"] == f"{(10_000 + cents['net']) / 100:.2f}"
    assert len(amounts_of(said)) == 5 + 3 * 4


@pytest.mark.article("pt:28")
def test_what_is_not_decided_stands_apart(table: Table) -> None:
    table.place(bet("red", stake="2.00"))
    said = table.caller.get(f"sessions/{table.session}/statement").json()
    assert (said["rounds"], said["staked"], said["returned"], said["net"]) == (0, "0.00", "0.00", "0.00")
    assert said["undecided"] == "2.00"
    (line,) = said["lines"]
    assert (line["staked"], line["prize"], line["returned"], line["net"]) == ("2.00", None, None, None)
    assert table.read()["round"]["bets"][0]["returned"] is None


@pytest.mark.article("pt:29", "pt:28")
def test_ending_answers_with_the_statement_and_twice_with_the_same(table: Table) -> None:
    table.place(bet("red", stake="2.00"))
    table.post("spin")
    table.settle_round()
    ended = table.post("end")
    assert ended.status_code == 200
    assert ended.json()["staked"] == "2.00"
    at = table.read()["ended_at"]
    assert at is not None
    again = table.post("end")
    assert (again.status_code, again.json()) == (200, ended.json())
    assert table.read()["ended_at"] == at
    assert table.caller.get(f"sessions/{table.session}/statement").json() == ended.json()
    assert GameSession.objects.get(pk=table.session).end_basis == "player"


@pytest.mark.article("pt:25")
def test_bets_on_the_cloth_are_played_when_the_player_leaves(table: Table) -> None:
    table.place(bet("red", stake="2.00"))
    ended = table.post("end").json()
    assert (ended["rounds"], ended["undecided"]) == (0, "2.00")
    table.settle_round()
    said = table.caller.get(f"sessions/{table.session}/statement").json()
    assert (said["rounds"], said["staked"], said["undecided"]) == (1, "2.00", "0.00")


def test_a_session_shows_nothing_of_another(caller: Caller, house: House) -> None:
    one, other = sit_down(caller, house), sit_down(caller, house)
    one.place(bet("red", stake="2.00"))
    shown = other.read()
    assert (shown["balance"], shown["round"]["staked"], shown["round"]["bets"]) == ("100.00", "0.00", [])
    assert caller.get(f"sessions/{other.session}/statement").json()["lines"] == []


def test_reads_write_nothing_and_ask_little(table: Table, django_assert_max_num_queries: Any) -> None:
    table.place(bet("red"))
    before = rows()
    with django_assert_max_num_queries(25):
        table.read()
    with django_assert_max_num_queries(10):
        table.caller.get(f"sessions/{table.session}/statement")
    assert rows() == before


def test_an_address_that_there_is_not_is_a_problem_too(caller: Caller) -> None:
    problem(caller.get("nothing"), 404, "not_found")


def test_the_schema_and_its_page_are_free(caller: Caller) -> None:
    assert Caller().client.get("/api/schema/").status_code == 200
    assert Caller().client.get("/api/docs/").status_code == 200
