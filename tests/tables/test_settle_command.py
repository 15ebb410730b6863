"""`manage.py settle`: whatever comes in, one answer goes out for each request, at once and in order."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tables.management.commands.settle import LONGEST_LINE
from tables.settle_requests import answer_text

ROOT = Path(__file__).resolve().parents[2]
# Long enough for a busy machine to import Django; nothing here waits for it to pass.
WAIT_SECONDS = 30
# A database that cannot be reached: whoever asks it fails. And no help with writing at once: that is the command's own.
SURROUNDINGS = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    "DATABASE_URL": "postgres://nobody@127.0.0.1:9/nothing",
}
QUOTE = {"rulebook": "pt-online", "bets": [{"type": "red", "stake": "1.00"}]}


def ask(**request: Any) -> dict[str, Any]:
    """The answer to a request that has a rulebook and bets unless it says otherwise."""
    return answer_text(json.dumps({**QUOTE, **request}))


def refused(answer: dict[str, Any]) -> list[tuple[int | None, str]]:
    assert answer["accepted"] is False
    assert set(answer) == {"accepted", "breaches"}
    return [(breach["bet"], breach["reason"]) for breach in answer["breaches"]]


def is_no_request(answer: dict[str, Any]) -> bool:
    """Whether the answer has the one shape of those to what is no request, with a sentence that is for people."""
    if answer["accepted"]:
        return False
    return refused(answer) == [(None, "invalid_request")] and answer["breaches"][0]["detail"].strip() != ""


def settle(*arguments: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command as another program does: without a database."""
    return subprocess.run(
        [sys.executable, "manage.py", "settle", *arguments],
        cwd=ROOT,
        env={**SURROUNDINGS, **environment},
        input=given,
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=False,
    )


class Stream:
    """A running `settle --lines`; `answer` puts one line to it and reads the answer, its input staying open."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        # A command that keeps its answers back would hang the test here: it is ended, and the read then finds nothing.
        watch = threading.Timer(WAIT_SECONDS, self.process.kill)
        watch.start()
        try:
            line = self.process.stdout.readline()
        finally:
            watch.cancel()
        assert line.endswith(b"\n"), "no answer came while the input was open"
        read: dict[str, Any] = json.loads(line)
        return read

    def answer(self, line: bytes) -> dict[str, Any]:
        self.write(line + b"\n")
        return self.read()

    def resident_kib(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


@contextmanager
def running() -> Iterator[Stream]:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "settle", "--lines"],
        cwd=ROOT,
        env=SURROUNDINGS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield Stream(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            # What could not be written any more is thrown away with it.
            with suppress(BrokenPipeError):
                pipe.close()


@pytest.fixture(scope="module")
def stream() -> Iterator[Stream]:
    """One command for all tests that put single lines to it: each also shows that it lived on after the others."""
    with running() as one:
        yield one


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


NO_AMOUNTS: list[Any] = [
    1, 0, -1, 1.0, 1.5, 1e3, 10**30, True, False, None, [], {}, ["1.00"],
    "", " ", "0", "0.00", "-1", "-1.00", "+1.00", "1e3", "1E3", "1.", ".50", "1.5", "1.005", "1.000", "1,00",
    "1 000.00", "1_000", "0x10", "1.00 ", " 1.00", "1.00\n", "1.00€", "EUR 1.00", "NaN", "Infinity", "1/2",
    "\uff11.00", "\uff11", "\u0661\u0662", "1\uff0e00", "\u00b2", "\ud800", "1" + "0" * 30, "9" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("stake", NO_AMOUNTS, ids=lambda stake: json.dumps(stake)[:24])
def test_a_stake_is_text_with_digits_and_nothing_else(stake: Any) -> None:
    assert refused(ask(bets=[{"type": "red", "stake": stake}])) == [(0, "invalid_stake")]
    assert refused(ask(bets=[{"call": "tiers", "unit": stake}])) == [(0, "invalid_stake")]


@pytest.mark.parametrize("key", ["minimum", "chip_value", "total_limit", "stake_step"])
@pytest.mark.parametrize("amount", [1, 1.5, True, "-1.00", "0.00", "1e3", "\uff11.00", "1.005"], ids=json.dumps)
def test_an_amount_that_is_no_stake_is_text_too(key: str, amount: Any) -> None:
    options = {key: amount} if key in ("total_limit", "stake_step") else {}
    asked = {} if options else {"minimum": "1.00", key: amount}
    assert is_no_request(ask(rulebook="fr-anglaise", options=options, **asked))


def test_a_bet_without_a_stake_has_an_invalid_one() -> None:
    assert refused(ask(bets=[{"type": "red"}])) == [(0, "invalid_stake")]
    assert refused(ask(bets=[{"call": "tiers"}])) == [(0, "invalid_stake")]


@pytest.mark.parametrize(("stake", "written"), [("1", "1.00"), ("007.50", "7.50"), ("0.01", "0.01")])
def test_whole_amounts_may_leave_out_the_cents(stake: str, written: str) -> None:
    assert ask(bets=[{"type": "red", "stake": stake}])["staked"] == written


def test_large_amounts_stay_exact() -> None:
    answer = ask(bets=[{"type": "straight", "on": [17], "stake": "999999999999999.99"}], numbers=[17])
    assert answer["returned"] == "35999999999999999.64"
    assert answer["net"] == "34999999999999999.65"


def test_all_breaches_come_at_once_bet_by_bet_and_the_slip_last() -> None:
    answer = ask(
        minimum="1.00",
        options={"split_dozens_offered": False, "stake_step": "0.50", "total_limit": "20.00"},
        numbers=[37],
        bets=[
            {"type": "straight", "on": [17], "stake": "40.00"},
            {"type": "red", "stake": "1.00"},
            {"type": "split", "on": [1, 36], "stake": 5},
            {"type": "split_dozen", "on": [1, 2], "stake": "0.75"},
            {"call": "neighbours", "number": 37, "neighbours": 2, "unit": "1.00"},
            {"call": "neighbours", "number": "0", "neighbours": 2.0, "unit": "0"},
            {"call": "final", "digit": 10, "unit": "1.00"},
            {"call": "salmon", "unit": "1.00"},
            {"type": "straight", "on": [17], "stake": "0.20"},
        ],
    )
    assert refused(answer) == [
        (0, "above_maximum"),
        (2, "invalid_spot"),
        (2, "invalid_stake"),
        (3, "not_offered"),
        (3, "below_minimum"),
        (3, "off_step"),
        (4, "invalid_number"),
        (5, "invalid_number"),
        (5, "invalid_neighbours"),
        (5, "invalid_stake"),
        (6, "invalid_digit"),
        (7, "not_offered"),
        (8, "below_minimum"),
        (8, "off_step"),
        (8, "above_maximum"),
        (None, "above_total_limit"),
        (None, "invalid_number"),
    ]


@pytest.mark.article("pt:12a-i")
def test_a_breach_names_the_spots_minimum_and_maximum() -> None:
    breaches = ask(minimum="2.00", bets=[{"type": "straight", "on": [0], "stake": "1.00"}])["breaches"]
    assert breaches == [{"bet": 0, "reason": "below_minimum", "minimum": "2.00", "maximum": "60.00"}]


def test_parts_of_a_call_bet_that_break_one_rule_are_named_once() -> None:
    answer = ask(minimum="1.00", bets=[{"type": "red", "stake": "1.00"}, {"call": "tiers", "unit": "0.50"}])
    assert refused(answer) == [(1, "below_minimum")]


def test_without_a_minimum_no_limit_is_checked() -> None:
    answer = ask(bets=[{"type": "straight", "on": [17], "stake": "100000.00"}])
    assert answer["accepted"] is True
    assert "maximum" not in answer["bets"][0]


@pytest.mark.parametrize(
    "numbers", [[], [37], [-1], [17.0], ["17"], [True], [None], [[17]], [17, 37], [10**30], ["00"]]
)
def test_a_winning_number_is_on_the_wheel(numbers: list[Any]) -> None:
    assert refused(ask(numbers=numbers)) == [(None, "invalid_number")]


@pytest.mark.parametrize("on", [[37], [-1], ["17"], [17.0], [True], [17, 17], "17", {}, [10**30], [[17]], ["00"]])
def test_a_spot_is_on_the_cloth(on: Any) -> None:
    assert refused(ask(bets=[{"on": on, "stake": "1.00"}])) == [(0, "invalid_spot")]


def test_a_bet_has_no_other_parts() -> None:
    assert refused(ask(bets=[{"type": "red", "stake": "1.00", "odds": 2}])) == [(0, "invalid_spot")]
    assert refused(ask(bets=[{"call": "tiers", "unit": "1.00", "stake": "1.00"}])) == [(0, "invalid_spot")]


@pytest.mark.article("pt:13")
@pytest.mark.parametrize(
    ("options", "breaches"),
    [
        ({}, []),
        ({"split_dozens_offered": False}, [0]),
        ({"split_columns_offered": False}, [1]),
        ({"split_bets_offered": False}, [0, 1]),
        ({"split_bets_offered": False, "split_dozens_offered": True}, [1]),
        ({"split_bets_offered": True, "split_columns_offered": False}, [1]),
    ],
)
def test_split_dozens_and_columns_can_be_refused(options: dict[str, bool], breaches: list[int]) -> None:
    bets = [
        {"type": "split_dozen", "on": [1, 2], "stake": "1.00"},
        {"type": "split_column", "on": [2, 3], "stake": "1"},
    ]
    answer = ask(bets=bets, options=options)
    assert [(one, "not_offered") for one in breaches] == (refused(answer) if breaches else [])
    assert answer["accepted"] is not bool(breaches)


@pytest.mark.article("pt:13")
def test_the_total_limit_may_be_reached_and_not_passed() -> None:
    assert ask(options={"total_limit": "1.00"})["accepted"] is True
    answer = ask(options={"total_limit": "0.99"})
    assert answer["breaches"] == [{"bet": None, "reason": "above_total_limit", "maximum": "0.99"}]


def test_stakes_move_in_the_step_which_is_a_cent_by_default() -> None:
    bets = [{"type": "red", "stake": "0.01"}, {"type": "black", "stake": "0.10"}]
    assert ask(bets=bets)["accepted"] is True
    assert refused(ask(bets=bets, options={"stake_step": "0.10"})) == [(0, "off_step")]


@pytest.mark.article("pt:8")
def test_call_bets_are_those_that_the_rules_list() -> None:
    bets = [{"call": "voisins", "unit": "1.00"}, {"call": "tiers", "unit": "1.00"}]
    assert ask(bets=bets)["accepted"] is True
    assert refused(ask(bets=bets, options={"call_bets": ["tiers"]})) == [(0, "not_offered")]
    assert refused(ask(bets=bets, options={"call_bets": []})) == [(0, "not_offered"), (1, "not_offered")]


@pytest.mark.parametrize("rulebook", ["fr-francaise", "fr-anglaise"])
def test_an_option_cannot_add_call_bets_that_the_rulebook_has_not(rulebook: str) -> None:
    answer = ask(rulebook=rulebook, bets=[{"call": "voisins", "unit": "1.00"}], options={"call_bets": ["voisins"]})
    assert refused(answer) == [(0, "not_offered")]


@pytest.mark.article("fr-anglaise:43")
@pytest.mark.parametrize(("value", "accepted"), [("4.99", False), ("5.00", True), ("100.00", True), ("100.01", False)])
def test_a_colours_value_lies_between_the_minimum_and_the_maximum_on_a_straight(value: str, accepted: bool) -> None:
    answer = ask(rulebook="fr-anglaise", bets=[], minimum="5.00", chip_value=value)
    assert answer["accepted"] is accepted
    if not accepted:
        breach = {"bet": None, "reason": "chip_value_out_of_range", "minimum": "5.00", "maximum": "100.00"}
        assert answer["breaches"] == [breach]


def test_a_chip_value_needs_the_minimum_and_a_rulebook_with_colours() -> None:
    assert is_no_request(ask(rulebook="fr-anglaise", chip_value="5.00"))
    assert refused(ask(minimum="1.00", chip_value="1.00")) == [(None, "not_offered")]


@pytest.mark.article("pt:12a-i", "pt:13")
def test_what_is_placed_already_counts_towards_limits_and_nothing_else() -> None:
    placed = [{"type": "straight", "on": [17], "stake": "29.00"}]
    asked = {"minimum": "1.00", "placed": placed}
    one = {"type": "straight", "on": [17], "stake": "1.00"}
    answer = ask(**asked, bets=[one], numbers=[17])
    assert (answer["staked"], answer["returned"], len(answer["bets"])) == ("1.00", "36.00", 1)
    assert refused(ask(**asked, bets=[one | {"stake": "1.01"}])) == [(0, "above_maximum")]
    limited = {"options": {"total_limit": "30.00"}}
    assert ask(**asked, **limited, bets=[one])["accepted"] is True
    assert refused(ask(**asked, **limited, bets=[one, QUOTE["bets"][0]])) == [(None, "above_total_limit")]


def test_what_is_placed_already_is_not_judged_itself() -> None:
    # It was accepted when it was placed: a minimum or an offer that changed since does not touch it.
    placed = [{"type": "split_dozen", "on": [1, 2], "stake": "0.33"}]
    options = {"split_bets_offered": False, "stake_step": "0.10"}
    assert ask(minimum="1.00", placed=placed, options=options)["accepted"] is True


def test_what_is_placed_may_hold_call_bets_and_must_be_bets() -> None:
    one = {"on": [5, 8], "stake": "1.00"}
    asked = {"minimum": "1.00", "placed": [{"call": "tiers", "unit": "59.00"}]}
    assert ask(**asked, bets=[one])["accepted"] is True
    assert refused(ask(**asked, bets=[one | {"stake": "2.00"}])) == [(0, "above_maximum")]
    assert is_no_request(ask(placed=[{"type": "red", "stake": 1}]))


def test_a_quote_shows_the_bets_on_the_cloth_and_their_maxima() -> None:
    answer = ask(minimum="1.00", bets=[{"on": [4, 1], "stake": "2.00"}, {"type": "dozen", "on": 1, "stake": "3"}])
    assert answer == {
        "accepted": True,
        "staked": "5.00",
        "bets": [
            {"type": "split", "on": [1, 4], "stake": "2.00", "numbers": [1, 4], "maximum": "60.00"},
            {"type": "dozen", "on": 1, "stake": "3.00", "numbers": list(range(1, 13)), "maximum": "360.00"},
        ],
    }


@pytest.mark.article("pt:8d-ii")
def test_a_call_bet_stands_as_its_parts_neighbours_clockwise() -> None:
    answer = ask(bets=[{"call": "neighbours", "number": 0, "neighbours": 4, "unit": "1.00"}])
    assert [bet["on"] for bet in answer["bets"]] == [[3], [26], [0], [32], [15]]
    assert answer["staked"] == "5.00"


def test_an_empty_slip_is_refused_unless_a_colours_value_is_asked_for() -> None:
    for request in ({}, {"numbers": [0]}, {"minimum": "1.00", "options": {"total_limit": "5.00"}}):
        assert ask(bets=[], **request) == {"accepted": False, "breaches": [{"bet": None, "reason": "empty_slip"}]}
    asked = {"rulebook": "fr-anglaise", "bets": [], "minimum": "1.00"}
    assert ask(**asked, chip_value="5.00") == {"accepted": True, "staked": "0.00", "bets": []}


@pytest.mark.parametrize(
    ("item", "reasons"),
    [
        ({"type": "split_dozen", "on": [1, 2], "stake": "1e3"}, ["invalid_stake", "not_offered"]),
        ({"type": "straight", "on": [99], "stake": "0.07"}, ["invalid_spot", "below_minimum", "off_step"]),
        ({"type": "straight", "on": [99], "stake": "-1"}, ["invalid_spot", "invalid_stake"]),
        ({"call": "tiers", "unit": "-1"}, ["not_offered", "invalid_stake"]),
        ({"call": "tiers", "unit": "0.07"}, ["not_offered", "below_minimum", "off_step"]),
        ({"call": "final", "digit": 10, "unit": "0.07"}, ["invalid_digit", "below_minimum", "off_step"]),
        ({"type": "split_dozen", "on": [1, 2], "stake": "0.07"}, ["not_offered", "below_minimum", "off_step"]),
        ("no bet", ["invalid_spot", "invalid_stake"]),
    ],
)
def test_what_can_be_read_of_a_bad_bet_is_checked_too(item: Any, reasons: list[str]) -> None:
    options = {"split_dozens_offered": False, "call_bets": ["final"], "stake_step": "0.10"}
    good = {"type": "red", "stake": "1.00"}
    breaches = ask(bets=[good, item, good], minimum="0.50", options=options)["breaches"]
    assert [(breach["bet"], breach["reason"]) for breach in breaches] == [(1, reason) for reason in reasons]


def test_a_play_says_what_became_of_each_bet() -> None:
    answer = ask(bets=[{"type": "straight", "on": [17], "stake": "1.00"}, QUOTE["bets"][0]], numbers=[17])
    assert answer["steps"] == [
        {
            "number": 17,
            "bets": [
                {"bet": 0, "result": "won", "prize": "35.00", "returned": "36.00"},
                {"bet": 1, "result": "lost", "prize": "0.00", "returned": "0.00"},
            ],
            "returned": "36.00",
        }
    ]
    assert (answer["returned"], answer["net"]) == ("36.00", "34.00")
    assert ask(numbers=[0])["net"] == "-1.00"


def results(answer: dict[str, Any]) -> list[list[tuple[int, str, str]]]:
    return [[(one["bet"], one["result"], one["returned"]) for one in step["bets"]] for step in answer["steps"]]


TWO = [{"type": "red", "stake": "10.01"}, {"type": "odd", "stake": "4.00"}]


@pytest.mark.article(
    "fr-francaise:36",
    "fr-francaise:37",
    "fr-francaise:38",
    "fr-francaise:39",
    "fr-francaise:40",
    "fr-francaise:41",
    "fr-francaise:42",
)
@pytest.mark.parametrize(
    ("numbers", "choices", "last", "expected"),
    [
        # No choice: it waits at the last number, and is taken back where another follows.
        ([0], [], False, [[(0, "waiting", "0.00"), (1, "waiting", "0.00")]]),
        ([0, 1], [], False, [[(0, "withdrawn", "5.01"), (1, "withdrawn", "2.00")], []]),
        # One choice for all bets, or one for each.
        ([0], ["withdraw"], False, [[(0, "withdrawn", "5.01"), (1, "withdrawn", "2.00")]]),
        ([0, 1], ["prison"], False,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")], [(0, "freed", "10.01"), (1, "freed", "4.00")]]),
        ([0, 1], [{"0": "prison"}], False,
         [[(0, "prison", "0.00"), (1, "withdrawn", "2.00")], [(0, "freed", "10.01")]]),
        ([0, 2], [{"0": "prison", "1": "withdraw"}], False,
         [[(0, "prison", "0.00"), (1, "withdrawn", "2.00")], [(0, "lost", "0.00")]]),
        # A choice belongs to a zero in turn, not to a number.
        ([1, 0], ["prison"], False, [[(0, "won", "20.02"), (1, "won", "8.00")], []]),
        ([0, 0, 1], ["prison", "prison"], False,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")]] * 2 + [[(0, "freed", "5.01"), (1, "freed", "2.00")]]),
        ([0, 0], ["prison", {"1": "withdraw"}], False,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")], [(0, "waiting", "0.00"), (1, "withdrawn", "1.00")]]),
        # The sitting's last round asks nobody.
        ([0], [], True, [[(0, "refunded", "5.01"), (1, "refunded", "2.00")]]),
        ([0, 0], ["prison", "prison"], True,
         [[(0, "prison", "0.00"), (1, "prison", "0.00")], [(0, "refunded", "2.51"), (1, "refunded", "1.00")]]),
    ],
)  # fmt: skip
def test_at_zero_the_choices_decide(
    numbers: list[int], choices: list[Any], last: bool, expected: list[list[tuple[int, str, str]]]
) -> None:
    answer = ask(rulebook="fr-francaise", bets=TWO, numbers=numbers, choices=choices, last_round=last)
    assert results(answer) == expected


@pytest.mark.article("fr-francaise:37", "fr-francaise:41")
def test_a_stake_that_met_a_zero_shows_what_may_be_taken_back() -> None:
    answer = ask(rulebook="fr-francaise", bets=TWO[:1], numbers=[0, 0, 0], choices=["prison"] * 3)
    assert [step["bets"][0]["may_withdraw"] for step in answer["steps"]] == ["5.01", "2.51", "1.26"]
    assert "may_withdraw" not in ask(rulebook="fr-francaise", numbers=[1])["steps"][0]["bets"][0]


@pytest.mark.parametrize("rulebook", ["pt-online", "fr-anglaise"])
def test_where_there_is_no_prison_choices_change_nothing(rulebook: str) -> None:
    asked = {"rulebook": rulebook, "numbers": [0, 1]}
    assert ask(**asked, choices=["prison"], last_round=True) == ask(**asked)


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every named value inside an answer."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


@pytest.mark.parametrize(
    "request_",
    [
        {"rulebook": "fr-francaise", "bets": TWO, "minimum": "1.00", "numbers": [0, 0], "choices": ["prison"]},
        {
            "bets": [{"type": "straight", "on": [1], "stake": "0.10"}],
            "minimum": "1.00",
            "options": {"total_limit": "0.01"},
        },
    ],
)
def test_amounts_are_text_everywhere(request_: dict[str, Any]) -> None:
    amounts = {"staked", "stake", "maximum", "minimum", "prize", "returned", "may_withdraw", "net"}
    found = [(key, value) for key, value in walk(ask(**request_)) if key in amounts]
    assert len(found) >= 3
    assert all(isinstance(value, str) and value[-3] == "." for _, value in found)


def test_one_request_may_stand_on_many_lines_and_is_answered_indented() -> None:
    done = settle(given=b"\n  " + json.dumps({**QUOTE, "numbers": [1]}, indent=4).encode() + b"\n\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == ask(numbers=[1])
    assert done.stdout.startswith(b'{\n  "accepted": true,\n')
    assert done.stdout.endswith(b"}\n")


@pytest.mark.parametrize(
    "given",
    [b"", b"\n", b"\xff", b"{} {}", b" " * (LONGEST_LINE + 1), b"[" * 100_000],
    ids=["nothing", "a line end", "not UTF-8", "two objects", "too long", "deep"],
)
def test_one_request_that_is_none_is_answered_too(given: bytes) -> None:
    done = settle(given=given)
    assert (done.returncode, done.stderr) == (0, b"")
    assert is_no_request(json.loads(done.stdout))


def test_lines_are_answered_in_order_the_last_without_its_end_too() -> None:
    lines = [json.dumps({**QUOTE, "numbers": [number]}) for number in range(37)]
    lines[20:20] = ["", "hello"]
    done = settle("--lines", given="\n".join(lines).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers == [answer_text(line) for line in "\n".join(lines).splitlines(keepends=True)]
    assert [answer["steps"][0]["number"] for answer in answers if answer["accepted"]] == list(range(37))


def test_windows_line_ends_are_white_space() -> None:
    done = settle("--lines", given=(json.dumps(QUOTE) + "\r\n").encode() * 2)
    assert [json.loads(line)["accepted"] for line in done.stdout.splitlines()] == [True, True]


def test_nothing_in_nothing_out() -> None:
    done = settle("--lines")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_other_locales_change_no_byte() -> None:
    given = b'{"rulebook": "fran\xc3\xa7aise", "bets": []}\n' + json.dumps({**QUOTE, "numbers": [0]}).encode() + b"\n"
    usual = settle("--lines", given=given)
    other = settle("--lines", given=given, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii", LANG="tr_TR.ISO8859-9")
    assert (usual.returncode, other.returncode) == (0, 0)
    assert usual.stdout == other.stdout
    assert usual.stdout.isascii()


def test_an_answer_comes_before_the_next_question() -> None:
    with running() as stream:
        for number in (17, 0, 36):
            assert stream.answer(json.dumps({**QUOTE, "numbers": [number]}).encode()) == ask(numbers=[number])
        assert is_no_request(stream.answer(b""))
        assert stream.process.stdin is not None
        stream.process.stdin.close()
        assert stream.process.wait(WAIT_SECONDS) == 0


def test_memory_does_not_grow_with_what_was_asked() -> None:
    line = json.dumps({**QUOTE, "numbers": [17] * 50}).encode() + b"\n"

    def many(stream: Stream, count: int) -> None:
        writing = threading.Thread(target=lambda: [stream.write(line) for _ in range(count)])
        writing.start()
        for _ in range(count):
            stream.read()
        writing.join()

    with running() as stream:
        many(stream, 200)
        before = stream.resident_kib()
        many(stream, 2_000)
        # The answers alone are above 9 MB.
        assert stream.resident_kib() - before < 4 * 1024


def test_a_line_without_an_end_fills_no_memory() -> None:
    with running() as stream:
        assert stream.answer(json.dumps(QUOTE).encode())["accepted"] is True
        before = stream.resident_kib()
        for _ in range(64):
            stream.write(b"[" * 1024 * 1024)
        assert is_no_request(stream.answer(b""))
        assert stream.resident_kib() - before < 6 * LONGEST_LINE // 1024


def _close_after_one(stream: Stream) -> None:
    stream.answer(json.dumps(QUOTE).encode())
    assert stream.process.stdout is not None
    stream.process.stdout.close()


def _close_at_once(stream: Stream) -> None:
    assert stream.process.stdout is not None
    stream.process.stdout.close()


@pytest.mark.parametrize("close", [_close_after_one, _close_at_once])
def test_a_reader_that_goes_away_ends_it_quietly(close: Callable[[Stream], None]) -> None:
    with running() as stream:
        close(stream)
        deadline = time.monotonic() + WAIT_SECONDS
        # It learns of it when it writes; what it is asked meanwhile may meet a closed pipe here too.
        while stream.process.poll() is None and time.monotonic() < deadline:
            try:
                stream.write(json.dumps({**QUOTE, "numbers": [17]}).encode() + b"\n")
            except BrokenPipeError:
                break
            time.sleep(0.01)
        stream.process.wait(WAIT_SECONDS)
        assert stream.process.stderr is not None
        assert stream.process.stderr.read() == b""
        assert stream.process.returncode in (0, 141, -13)


def test_it_is_a_filter_that_a_pipe_can_cut() -> None:
    many = f"yes '{json.dumps(QUOTE)}' | {sys.executable} manage.py settle --lines | head -n 2; echo ${{PIPESTATUS[1]}}"
    done = subprocess.run(
        ["bash", "-c", many],
        cwd=ROOT, env=SURROUNDINGS, capture_output=True, timeout=WAIT_SECONDS, check=False,
    )  # fmt: skip
    first, second, status = done.stdout.splitlines()
    assert json.loads(first) == json.loads(second) == ask()
    assert (status in (b"0", b"141"), done.stderr) == (True, b"")


def test_answers_that_cannot_be_written_end_in_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "manage.py", "settle", "--lines"],
            input=b'{"rulebook": "pt-online", "bets": []}\n',
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            check=False,
        )
    assert ended.returncode == 1
    assert b"could not be written" in ended.stderr
    assert b"Traceback" not in ended.stderr
