"""What raw SQL needs to run on both databases."""

import datetime as dt
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import IntegrityError, connection, transaction


def instant(value: dt.datetime) -> Any:
    """An aware datetime as a parameter of raw SQL: Django's own form for the database in use."""
    return connection.ops.adapt_datetimefield_value(value)


def portable(sql: str) -> str:
    """The query as the database in use reads it: SQLite knows IS DISTINCT FROM by that name since 3.39 alone."""
    return sql.replace(" IS DISTINCT FROM ", " IS NOT ") if connection.vendor == "sqlite" else sql


def database_now() -> dt.datetime:
    """The database's own clock (on SQLite the host's), which alone decides whether a bet is in time."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (now,) = cursor.fetchone()
            assert isinstance(now, dt.datetime)
            return now
    return dt.datetime.now(dt.UTC)


def breaks_unique_key(error: IntegrityError) -> bool:
    """Whether a unique key is what the database refused, rather than a CHECK, a reference or a guard."""
    cause = error.__cause__
    is_unique_violation = getattr(cause, "sqlstate", "") == "23505"
    return is_unique_violation or getattr(cause, "sqlite_errorname", "") == "SQLITE_CONSTRAINT_UNIQUE"


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Read everything inside as it stood at one instant, without keeping anybody from writing.

    For reads alone, and whatever is read must be read in full before it ends: a query that is not evaluated by then
    has another instant. Inside a transaction or another snapshot it begins none of its own.
    """
    if connection.in_atomic_block or _is_in_plain_transaction():
        yield
        return
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


def _is_in_plain_transaction() -> bool:
    """Whether SQLite is inside the plain BEGIN of a snapshot, of which Django knows nothing."""
    return connection.vendor == "sqlite" and connection.connection is not None and connection.connection.in_transaction


@contextmanager
def prepared_cursor() -> Iterator[psycopg.Cursor]:
    """A cursor of the database adapter itself on Django's connection, for PostgreSQL's one hot statement.

    Django's own binds parameters into the text, which the server then parses anew at each call. This one sends them
    apart, and `execute(..., prepare=True)` has the statement parsed and planned once a connection. Errors are Django's.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor


@contextmanager
def native_sqlite_cursor() -> Iterator[sqlite3.Cursor]:
    """A cursor of sqlite3 itself on Django's connection, inside a transaction, for the hot statements of SQLite.

    Django's own looks through each statement for its parameters again at every call. Errors are Django's.
    """
    assert connection.in_atomic_block, "the transaction is Django's"
    with connection.wrap_database_errors:
        yield connection.connection.cursor()
