"""Proving the books from the rows alone: named checks over one snapshot, in constant memory, blocking nobody."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from . import guards


@dataclass(frozen=True)
class Check:
    """A named proof; `find` yields a sentence for each difference that it meets."""

    name: str
    promise: str
    find: Callable[[], Iterator[str]]


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything inside as it stood at one instant, without keeping anybody from writing."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
        return
    # A plain BEGIN: atomic() would begin IMMEDIATE here and take the write lock from the game.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


@contextmanager
def apart() -> Iterator[None]:
    """Let one check fail without spoiling the snapshot for the next."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield
        return
    yield


def differences(sql: str, parameters: list[Any] | dict[str, Any], sentence: str) -> Iterator[str]:
    """Run a query whose every row is a difference and put each row into `sentence`."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(500):
            for row in rows:
                yield sentence.format(*row)


def _guards() -> Iterator[str]:
    for name in guards.find_missing(connection):
        yield f"the guard {name} does not stand as it was laid"
    for name in guards.find_foreign(connection):
        yield f"the trigger {name} was laid by somebody else"


CHECKS = (
    Check("guards", "every trigger and function of the database stands as it was laid, and no other trigger", _guards),
)
