"""The rulebooks through REST: free for everyone, and the same answers as the settle command's."""

import io
import json
import math
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.test import Client

from tables.api.rulebooks import MOST_BETS, MOST_BYTES, MOST_NUMBERS, RulebookSettleView
from tables.roulette.rulebooks import all_rulebooks, find_rulebook
from tables.settle_requests import MOST_RESULTS, answer_text
from tests.roulette import second_derivation as law
from tests.roulette.test_cases import ASKED

from .problems import amounts_of, problem

CODES = ["pt-online", "fr-francaise", "fr-anglaise"]
RED = {"type": "red", "stake": "1.00"}


@pytest.fixture
def client() -> Client:
    # A fault of ours is to be seen as other systems see it.
    return Client(raise_request_exception=False)


def read(client: Client, address: str) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    return response.json()


def settle(client: Client, body: Any, code: str = "pt-online", **headers: Any) -> Any:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(f"/api/v1/rulebooks/{code}/settle", text, content_type="application/json", **headers)


def no_request(response: Any) -> str:
    """What is said of a body that is no request: the settle command's answer, as a 400."""
    assert (response.status_code, response["Content-Type"]) == (400, "application/json")
    answer = response.json()
    (breach,) = answer["breaches"]
    assert (answer["accepted"], breach["bet"], breach["reason"]) == (False, None, "invalid_request")
    return str(breach["detail"])


def test_the_list_names_each_rulebook_and_its_source(client: Client) -> None:
    listed = read(client, "rulebooks")
    assert [one["code"] for one in listed] == [rulebook.code for rulebook in all_rulebooks()]
    assert {one["code"] for one in listed} == set(CODES)
    assert all(set(one) == {"code", "edition", "title", "source"} and all(one.values()) for one in listed)


@pytest.mark.parametrize("code", CODES)
def test_a_rulebook_says_everything_and_agrees_with_the_list(client: Client, code: str) -> None:
    detail = read(client, f"rulebooks/{code}")
    assert next(one for one in read(client, "rulebooks") if one["code"] == code).items() <= detail.items()
    assert set(detail) >= {
        "code", "edition", "title", "source", "digest", "wheel", "spots", "prizes", "maxima", "zero", "call_bets",
        "payment_order", "options",
    }  # fmt: skip
    assert detail["digest"] == find_rulebook(code).digest


@pytest.mark.article("pt:6a", "pt:6b", "pt:6c")
def test_the_wheel_stands_clockwise_with_its_colours(client: Client) -> None:
    wheel = read(client, "rulebooks/pt-online")["wheel"]
    assert wheel == [
        {"number": number, "colour": colour}
        for number, colour in zip(law.WHEEL, ["none", *["red", "black"] * 18], strict=True)
    ]


@pytest.mark.parametrize("code", CODES)
def test_every_spot_can_be_bet_as_it_is_written(client: Client, code: str) -> None:
    spots = read(client, f"rulebooks/{code}")["spots"]
    assert len(spots) == 161
    bets = [{key: spot[key] for key in ("type", "on") if key in spot} | {"stake": "1.00"} for spot in spots]
    answer = settle(client, {"bets": bets}, code).json()
    assert answer["accepted"] is True
    assert [bet["numbers"] for bet in answer["bets"]] == [spot["numbers"] for spot in spots]


@pytest.mark.parametrize("code", CODES)
def test_prizes_and_maxima_are_those_that_settling_pays_and_allows(client: Client, code: str) -> None:
    detail = read(client, f"rulebooks/{code}")
    for spot in detail["spots"]:
        numerator, denominator = detail["prizes"][spot["type"]]
        bet = {key: spot[key] for key in ("type", "on") if key in spot} | {"stake": "2.00"}
        number = max(spot["numbers"])
        answer = settle(client, {"bets": [bet], "minimum": "1.00", "numbers": [number]}, code).json()
        assert answer["steps"][0]["bets"][0]["prize"] == f"{2 * numerator // denominator}.00"
        assert answer["bets"][0]["maximum"] == f"{detail['maxima'][spot['type']]}.00"


def test_ratios_are_whole_numbers_in_lowest_terms(client: Client) -> None:
    for code in CODES:
        detail = read(client, f"rulebooks/{code}")
        for ratio in (*detail["prizes"].values(), detail["zero"]["returned"]):
            numerator, denominator = ratio
            assert type(numerator) is type(denominator) is int
            assert math.gcd(numerator, denominator) == 1


@pytest.mark.article("pt:8")
def test_call_bets_stand_with_the_parts_that_they_are_played_as(client: Client) -> None:
    calls = {call["call"]: call for call in read(client, "rulebooks/pt-online")["call_bets"]}
    assert {name: call["units"] for name, call in calls.items() if "units" in call} == {
        "voisins": 9,
        "tiers": 6,
        "orphelins": 5,
        "orphelins_en_plein": 8,
    }
    for name, call in calls.items():
        if "parts" in call:
            played = settle(client, {"bets": [{"call": name, "unit": "1.00"}]}).json()["bets"]
            parts = [(part["type"], part.get("on"), f"{part['units']}.00") for part in call["parts"]]
            assert parts == [(bet["type"], bet.get("on"), bet["stake"]) for bet in played]
    assert calls["neighbours"]["neighbours"] == [2, 4, 6]
    assert calls["final"]["digits"]["7"] == [7, 17, 27]
    assert calls["final"]["digits"]["0"] == [0, 10, 20, 30]
    assert read(client, "rulebooks/fr-anglaise")["call_bets"] == []


@pytest.mark.parametrize("address", ["rulebooks/us-double-zero", "rulebooks/PT-ONLINE", "rulebooks/pt_online"])
def test_an_unknown_rulebook_is_a_problem(client: Client, address: str) -> None:
    problem(client.get(f"/api/v1/{address}"), 404, "not_found")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_rulebooks_are_read_only(client: Client, method: str) -> None:
    for address in ("rulebooks", "rulebooks/pt-online"):
        problem(getattr(client, method)(f"/api/v1/{address}"), 405, "method_not_allowed")
    problem(client.get("/api/v1/rulebooks/pt-online/settle"), 405, "method_not_allowed")


# Every seventh case is enough here: tests/roulette/test_cases.py puts them all to the same function.
@pytest.mark.parametrize(("case", "asked"), ASKED[::7], ids=[case["id"] for case, _ in ASKED[::7]])
def test_it_answers_as_the_command_does(client: Client, case: dict[str, Any], asked: dict[str, Any]) -> None:
    response = settle(client, asked, asked["rulebook"])
    expected = answer_text(json.dumps(asked))
    assert (response.status_code, response.json()) == (200, expected)
    without = {key: value for key, value in asked.items() if key != "rulebook"}
    assert settle(client, without, asked["rulebook"]).json() == expected
    amounts_of(response.json())


def test_a_refused_slip_is_an_answer(client: Client) -> None:
    body = {"bets": [{"type": "straight", "on": [37], "stake": 1}], "options": {"total_limit": "1.00"}}
    response = settle(client, body)
    assert response.status_code == 200
    assert [breach["reason"] for breach in response.json()["breaches"]] == ["invalid_spot", "invalid_stake"]


def test_the_bodys_rulebook_is_the_addresss(client: Client) -> None:
    assert settle(client, {"rulebook": "pt-online", "bets": [RED]}).status_code == 200
    for other in ("fr-francaise", "nothing", None, 1, [], {}):
        no_request(settle(client, {"rulebook": other, "bets": [RED]}))


def test_an_unknown_rulebook_settles_nothing(client: Client) -> None:
    problem(settle(client, {"bets": []}, "us-double-zero"), 404, "not_found")
    problem(settle(client, b"{", "us-double-zero"), 404, "not_found")


NO_REQUESTS = {
    "nothing": b"",
    "no JSON": b"hello",
    "array": b"[]",
    "null": b"null",
    "NaN": b'{"bets": [], "minimum": NaN}',
    "huge integer": b'{"bets": [], "numbers": [' + b"1" * 5_000 + b"]}",
    "name given twice": b'{"bets": [], "bets": []}',
    "not UTF-8": b'{"bets": [], "\xff": 1}',
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "unknown key": b'{"bets": [], "stake": "1.00"}',
    "surrogate as key": b'{"bets": [], "\\ud800": 1}',
    "no bets": b"{}",
}


@pytest.mark.parametrize("body", NO_REQUESTS.values(), ids=NO_REQUESTS)
def test_what_is_no_request_is_answered_as_the_command_does(client: Client, body: bytes) -> None:
    assert no_request(settle(client, body))


@pytest.mark.parametrize("part", ["type", "stake", "call"])
def test_a_surrogate_does_no_harm(client: Client, part: str) -> None:
    response = settle(client, b'{"bets": [{"' + part.encode() + b'": "\\ud800"}]}')
    assert (response.status_code, response.json()["accepted"]) == (200, False)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_the_body_is_read_as_json_whatever_it_is_called(client: Client, content_type: str) -> None:
    body = json.dumps({"bets": [RED]})
    response = client.post("/api/v1/rulebooks/pt-online/settle", body, content_type=content_type)
    assert response.status_code in (200, 415)
    if response.status_code == 200:
        assert response.json() == answer_text(json.dumps({"rulebook": "pt-online", "bets": [RED]}))


def test_amounts_of_the_body_are_text(client: Client) -> None:
    answer = settle(client, {"bets": [RED | {"stake": 1.0}]}).json()
    assert [breach["reason"] for breach in answer["breaches"]] == ["invalid_stake"]
    assert "minimum" in no_request(settle(client, {"bets": [RED], "minimum": 1}))


@pytest.mark.parametrize(
    ("key", "most", "one"),
    [("bets", MOST_BETS, RED), ("placed", MOST_BETS, RED), ("numbers", MOST_NUMBERS, 1), ("choices", MOST_NUMBERS, {})],
)
def test_a_request_is_bounded(client: Client, key: str, most: int, one: Any) -> None:
    assert settle(client, {"bets": [RED], key: [one] * most}).json()["accepted"] is True
    assert str(most) in no_request(settle(client, {"bets": [RED], key: [one] * (most + 1)}))


def test_a_body_has_256_kib_at_most(client: Client) -> None:
    assert MOST_BYTES == 256 * 1024
    body = json.dumps({"bets": [RED]}).encode()
    assert settle(client, body + b" " * (MOST_BYTES - len(body))).json()["accepted"] is True
    assert str(MOST_BYTES) in no_request(settle(client, body + b" " * (MOST_BYTES - len(body) + 1)))
    assert no_request(settle(client, b"[" * 8 * MOST_BYTES))


def test_a_body_that_comes_in_chunks_is_bounded_too() -> None:
    # Without a Content-Length, as HTTP allows; a WSGI server reads nothing then, an ASGI server reads to the end.
    body = json.dumps({"bets": [RED]}).encode() + b" " * MOST_BYTES
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    response = RulebookSettleView.as_view()(ASGIRequest(scope, io.BytesIO(body)), code="pt-online").render()
    assert response.status_code in (400, 413)


@pytest.mark.parametrize("length", ["", "abc", "-1", "1e9"])
def test_a_length_that_is_none_is_no_fault_of_ours(client: Client, length: str) -> None:
    assert settle(client, {"bets": [RED]}, CONTENT_LENGTH=length).status_code in (200, 400)


def test_a_large_request_is_answered_whole(client: Client) -> None:
    zeros = 20
    body = {"bets": [RED] * MOST_BETS, "numbers": [0] * zeros, "choices": ["prison"] * zeros}
    answer = settle(client, body, "fr-francaise").json()
    assert [len(step["bets"]) for step in answer["steps"]] == [MOST_BETS] * zeros
    assert answer["steps"][-1]["bets"][-1] == {
        "bet": MOST_BETS - 1, "result": "prison", "prize": "0.00", "returned": "0.00", "may_withdraw": "0.01",
    }  # fmt: skip


def test_an_answer_is_bounded_too(client: Client) -> None:
    body = {"bets": [RED] * MOST_BETS, "numbers": [0] * MOST_NUMBERS, "choices": [{"0": "prison"}]}
    assert str(MOST_RESULTS) in no_request(settle(client, body, "fr-francaise"))
    # Where no stake lives on, as many numbers are answered as may be asked.
    assert len(settle(client, body, "fr-anglaise").json()["steps"]) == MOST_NUMBERS


def test_nobody_needs_a_key_and_a_wrong_one_does_no_harm(client: Client) -> None:
    assert settle(client, {"bets": [RED]}, HTTP_AUTHORIZATION="Api-Key nonsense").status_code == 200
    assert client.get("/api/v1/rulebooks", HTTP_AUTHORIZATION="Basic \xff").status_code == 200
