"""`manage.py settle` as a process: whatever comes in, one answer goes out for each request, at once and in order."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tables.management.commands.settle import LONGEST_LINE
from tables.settle_requests import answer_text

from .settling import QUOTE, ROOT, SURROUNDINGS, WAIT_SECONDS, Stream, ask, is_no_request, running, settle


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
