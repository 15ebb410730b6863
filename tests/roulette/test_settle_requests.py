"""Settle requests: every fault is named, and no request of the API's size costs more than it should."""

import json
from typing import Any

import pytest

from tables.settle_requests import answer_text


def ask(**request: Any) -> dict[str, Any]:
    return answer_text(json.dumps({"rulebook": "pt-online", **request}))


@pytest.mark.parametrize(
    ("call", "reasons"),
    [
        ({"call": "neighbours", "number": 99, "neighbours": 3, "unit": "0"}, ["number", "neighbours", "stake"]),
        ({"call": "neighbours", "number": True, "neighbours": 3, "unit": "1.00"}, ["number", "neighbours"]),
        ({"call": "neighbours", "unit": 1}, ["number", "neighbours", "stake"]),
        ({"call": "final", "digit": 10, "unit": ""}, ["digit", "stake"]),
    ],
)
def test_a_call_bet_with_several_faults_names_each_once(call: dict[str, Any], reasons: list[str]) -> None:
    breaches = ask(bets=[call])["breaches"]
    assert [(breach["bet"], breach["reason"]) for breach in breaches] == [(0, f"invalid_{one}") for one in reasons]


@pytest.mark.parametrize("text", ['{"rulebook": "pt-online", "bets": [{"on": [17], "stake": "1.00"}]}'])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_a_request_is_utf_8_and_nothing_else(text: str, encoding: str) -> None:
    assert answer_text(text.encode())["accepted"] is True
    assert answer_text(text.encode(encoding))["breaches"][0]["reason"] == "invalid_request"


def test_an_encoded_half_of_a_surrogate_pair_is_no_utf_8() -> None:
    assert answer_text(b'{"rulebook": "\xed\xa0\x80", "bets": []}')["breaches"][0]["reason"] == "invalid_request"


def test_many_choices_for_many_bets_are_read_in_one_pass() -> None:
    # Searching each index for each choice took an hour here.
    neighbours = {"call": "neighbours", "number": 0, "neighbours": 6, "unit": "1.00"}
    for choice in ("prison", {str(index): "withdraw" for index in range(7)}):
        answer = ask(bets=[neighbours] * 1000, numbers=[5], choices=[choice] * 1000)
        assert (answer["accepted"], len(answer["bets"])) == (True, 7000)
