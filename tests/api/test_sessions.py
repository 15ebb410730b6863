"""Game sessions through REST: from sitting down to the statement."""

from typing import Any

import pytest
from django.utils import timezone

from sessions_app.models import GameSession
from tables.services.rounds import draw_round
from tests.house import DRAW_KEY, House, bet

from .caller import Caller
from .play import Table, rows, sit_down
from .problems import amounts_of, problem

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("session_id", [0, 2**31, 2**63, 2**64, 10**40])
def test_a_session_that_there_is_not_is_not_found(caller: Caller, session_id: int) -> None:
    for address in (f"sessions/{session_id}", f"sessions/{session_id}/statement"):
        problem(caller.get(address), 404, "not_found")
    key = {"Idempotency-Key": "key-00001"}
    problem(caller.post(f"sessions/{session_id}/bets", {"bets": [bet("red")]}, **key), 404, "not_found")
    for act in ("spin", "end"):
        problem(caller.post(f"sessions/{session_id}/{act}"), 404, "not_found")


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
