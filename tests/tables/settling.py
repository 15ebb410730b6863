"""Asking the settle command, in process and as another program does."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

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
