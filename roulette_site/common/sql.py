"""What raw SQL needs to run on both databases."""

import datetime as dt
from typing import Any

from django.db import IntegrityError, connection


def instant(value: dt.datetime) -> Any:
    """An aware datetime as a parameter of raw SQL: Django's own form for the database in use."""
    return connection.ops.adapt_datetimefield_value(value)


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
