"""Slips through REST: what is placed, what is answered again, and every refusal."""

import json
from typing import Any

import pytest

from tests.house import House, bet, make_house
from wallets.models import Scope

from .caller import Caller, make_key
from .play import Table, rows, sit_down
from .problems import amounts_of, problem

pytestmark = pytest.mark.django_db


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
