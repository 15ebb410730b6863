"""How races are run: acts released together, and the placing function with a guard taken away."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection

from tables.placing import postgresql

# How often a race is tried: each of these was seen to happen in far fewer.
TRIES = 25
FEW_TRIES = 8


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Run acts in threads of their own, released together; what each returned or raised."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            # A connection is made before the start, so that all begin at the same moment.
            connection.ensure_connection()
            barrier.wait()
            return act()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@contextmanager
def placing_without(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Iterator[None]:
    """Place with a copy of the function in which these lines are missing, and which waits where they stood."""
    with placing_with(monkeypatch, dict.fromkeys(lines, "")):
        yield


@contextmanager
def placing_with(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]) -> Iterator[None]:
    """Place with a copy of the function in which these texts are others, and which is slow to decide."""
    body = postgresql._BODY
    for text, other in changes.items():
        assert body.count(text) == 1
        body = body.replace(text, other)
    # The reads are followed by a pause, as a slower machine would have it: what was read is old when it is used.
    assert body.count(DECIDES) == 1
    body = body.replace(DECIDES, f"PERFORM pg_sleep(0.02);\n  {DECIDES}")
    name = "tables_place_slip_unguarded"
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE OR REPLACE FUNCTION {name}{postgresql._SIGNATURE} LANGUAGE plpgsql AS $body${body}$body$"
        )
    with monkeypatch.context() as patched:
        patched.setattr(postgresql, "FUNCTION_NAME", name)
        yield
    with connection.cursor() as cursor:
        cursor.execute(f"DROP FUNCTION {name}")


ROUND_LOCK = next(line for line in postgresql._BODY.splitlines() if "pg_advisory_xact_lock_shared" in line)
ACCOUNT_LOCK = " FOR NO KEY UPDATE"
DECIDES = "IF breaches <> '{}' THEN"
