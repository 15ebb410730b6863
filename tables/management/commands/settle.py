"""`manage.py settle`: what the rulebooks make of bets and numbers. Reads no database."""

import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.settle_requests import answer_text, refuse_request

# No request is longer; a line without an end must not fill the memory.
LONGEST_LINE = 4 * 1024 * 1024


class Command(BaseCommand):
    help = "Answer a settle request from standard input, or with --lines one on each line."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whether requests stand one on a line."""
        parser.add_argument("--lines", action="store_true", help="one request and one answer a line, as a stream")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, answer, write; a reader that goes away ends the stream quietly."""
        try:
            if options["lines"]:
                for line in _lines(sys.stdin.buffer):
                    sys.stdout.write(_answer_line(line))
                    # Whoever waits for this answer before he asks again must have it now.
                    sys.stdout.flush()
            else:
                sys.stdout.write(_answer_whole(sys.stdin.buffer.read(LONGEST_LINE + 1)))
            sys.stdout.flush()
        except (BrokenPipeError, KeyboardInterrupt):
            # The interpreter's own flush at exit would fail again.
            sys.stdout = None
        except OSError as error:
            sys.stdout = None
            raise CommandError(f"The answers could not be written: {error.strerror}.") from None


def _answer_whole(text: bytes) -> str:
    too_long = len(text) > LONGEST_LINE
    answer = refuse_request(f"The request is longer than {LONGEST_LINE} bytes.") if too_long else answer_text(text)
    return json.dumps(answer, indent=2) + "\n"


def _answer_line(line: bytes | None) -> str:
    answer = refuse_request(f"A line is longer than {LONGEST_LINE} bytes.") if line is None else answer_text(line)
    return json.dumps(answer) + "\n"


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The stream's lines; None for one that is too long, whose rest is passed over."""
    while line := stream.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            yield line
