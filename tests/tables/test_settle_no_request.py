"""`manage.py settle`: what is no request is answered as such, and the next line is read."""

import json
from typing import Any

import pytest

from tables.management.commands.settle import LONGEST_LINE
from tables.settle_requests import answer_text

from .settling import QUOTE, Stream, ask, is_no_request, refused

NO_REQUESTS: dict[str, bytes] = {
    "empty line": b"",
    "blanks": b"  \t ",
    "no JSON": b"hello",
    "half an object": b'{"rulebook": "pt-online"',
    "two objects": b'{"rulebook": "pt-online", "bets": []} {}',
    "single quotes": b"{'rulebook': 'pt-online', 'bets': []}",
    "trailing comma": b'{"rulebook": "pt-online", "bets": [],}',
    "array": b"[]",
    "array of requests": b'[{"rulebook": "pt-online", "bets": []}]',
    "text": b'"pt-online"',
    "number": b"17",
    "null": b"null",
    "true": b"true",
    "NaN": b"NaN",
    "infinity": b"-Infinity",
    "NaN inside": b'{"rulebook": "pt-online", "bets": [], "minimum": NaN}',
    "integer of 5,000 digits": b'{"rulebook": "pt-online", "bets": [], "numbers": [' + b"1" * 5_000 + b"]}",
    "name given twice": b'{"rulebook": "pt-online", "bets": [], "bets": []}',
    "name given twice, inside": b'{"rulebook": "pt-online", "bets": [{"type": "red", "stake": "1", "stake": "2"}]}',
    "not UTF-8": b'{"rulebook": "pt-online", "bets": [], "\xff\xfe": 1}',
    "Latin-1": b'{"rulebook": "fr-fran\xe7aise", "bets": []}',
    "NUL": b"\x00",
    "arrays 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "objects 100,000 deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep inside": b'{"rulebook": "pt-online", "bets": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
    "arrays that never end": b"[" * 100_000,
    "unknown key": b'{"rulebook": "pt-online", "bets": [], "colour": "red"}',
    "key in capitals": b'{"rulebook": "pt-online", "Bets": []}',
    "surrogate as key": b'{"rulebook": "pt-online", "bets": [], "\\ud800": 1}',
    "no rulebook": b'{"bets": []}',
    "unknown rulebook": b'{"rulebook": "us-double-zero", "bets": []}',
    "rulebook in capitals": b'{"rulebook": "PT-ONLINE", "bets": []}',
    "rulebook with a blank": b'{"rulebook": "pt-online ", "bets": []}',
    "surrogate as rulebook": b'{"rulebook": "\\udcff", "bets": []}',
    "no bets": b'{"rulebook": "pt-online"}',
}


@pytest.mark.parametrize("line", NO_REQUESTS.values(), ids=NO_REQUESTS)
def test_what_is_no_request_is_answered_and_the_next_line_is_read(stream: Stream, line: bytes) -> None:
    assert is_no_request(stream.answer(line))
    assert stream.answer(json.dumps(QUOTE).encode())["accepted"] is True


@pytest.mark.parametrize("line", NO_REQUESTS.values(), ids=NO_REQUESTS)
def test_in_process_it_is_an_answer_too_never_an_exception(line: bytes) -> None:
    assert is_no_request(answer_text(line))


OTHER_TYPES: list[Any] = [None, True, 1, 1.5, "text", [], {}, [[]], [{}], [None], {"": None}]


NONE_IS_NOTHING = {"options", "numbers"}


@pytest.mark.parametrize("value", OTHER_TYPES, ids=json.dumps)
@pytest.mark.parametrize(
    "key",
    ["rulebook", "bets", "minimum", "placed", "options", "chip_value", "numbers", "choices", "last_round"],
)
def test_a_key_with_a_value_of_another_type_raises_nothing(key: str, value: Any) -> None:
    takes = {
        "rulebook": lambda: False,
        "bets": lambda: isinstance(value, list),
        "minimum": lambda: False,
        "placed": lambda: value == [],
        "options": lambda: value is None or value == {},
        "chip_value": lambda: False,
        "numbers": lambda: value is None or isinstance(value, list),
        "choices": lambda: value in ([], [{}]) and isinstance(value, list),
        "last_round": lambda: isinstance(value, bool),
    }[key]
    answer = ask(**{key: value})
    assert is_no_request(answer) is not takes()


@pytest.mark.parametrize("value", OTHER_TYPES, ids=json.dumps)
@pytest.mark.parametrize(
    "key",
    ["split_dozens_offered", "split_columns_offered", "split_bets_offered", "total_limit", "stake_step", "call_bets"],
)
def test_an_option_with_a_value_of_another_type_raises_nothing(key: str, value: Any) -> None:
    flag = key.endswith("_offered")
    takes = isinstance(value, bool) if flag else key == "call_bets" and (value is None or value == [])
    assert is_no_request(ask(options={key: value})) is not takes


def test_an_unknown_option_is_no_option() -> None:
    assert is_no_request(ask(options={"maximum": "1.00"}))
    assert is_no_request(ask(options={"call_bets": ["voisins", "voisin"]}))


@pytest.mark.parametrize("choice", [None, 1, [], {}, "PRISON", "", "\ud800"], ids=json.dumps)
def test_a_choice_is_one_of_two_words(choice: Any) -> None:
    asked = {"rulebook": "fr-francaise", "numbers": [0, 0]}
    assert is_no_request(ask(**asked, choices=[{"0": choice}]))
    if not isinstance(choice, dict):
        assert is_no_request(ask(**asked, choices=[choice]))


@pytest.mark.parametrize("index", ["1", "-1", "00", "0.0", "", " 0", "\uff10", "9" * 5000])
def test_a_choice_names_a_bet_that_there_is(index: str) -> None:
    assert is_no_request(ask(rulebook="fr-francaise", numbers=[0], choices=[{index: "prison"}]))


@pytest.mark.parametrize(
    "item",
    [None, True, 17, "red", [], {}, {"call": None}, {"call": []}, {"call": {}}, {"type": []}, {"type": {}, "on": {}}],
    ids=json.dumps,
)
def test_an_item_that_is_no_bet_is_a_breach_of_that_item(item: Any) -> None:
    answer = ask(bets=[{"type": "red", "stake": "1.00"}, item])
    assert {bet for bet, _ in refused(answer)} == {1}
    assert {reason for _, reason in refused(answer)} <= {"invalid_spot", "invalid_stake", "not_offered"}


def test_a_line_that_is_too_long_is_passed_over_to_its_end(stream: Stream) -> None:
    for length in (LONGEST_LINE, LONGEST_LINE + 1, 3 * LONGEST_LINE):
        assert is_no_request(stream.answer(b"[" * length))
        assert stream.answer(json.dumps(QUOTE).encode())["accepted"] is True


def test_the_longest_line_is_read(stream: Stream) -> None:
    line = json.dumps(QUOTE).encode()
    assert stream.answer(line + b" " * (LONGEST_LINE - 1 - len(line)))["accepted"] is True


def test_a_surrogate_goes_out_as_ascii(stream: Stream) -> None:
    answer = stream.answer(b'{"rulebook": "pt-online", "bets": [{"type": "\\ud83d", "stake": "\\udc00"}]}')
    assert refused(answer) == [(0, "invalid_spot"), (0, "invalid_stake")]
    assert stream.answer(json.dumps(QUOTE).encode())["accepted"] is True
