"""Tables without their triggers, as only the owner of the database can have them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection


@contextmanager
def unguarded(cursor: Any, tables: Sequence[str]) -> Iterator[None]:
    """Take away the triggers of the tables, and lay them again as they were."""
    if connection.vendor == "postgresql":
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        # Nobody alters a table that deferred constraints still look at.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        return
    marks = ", ".join(["%s"] * len(tables))
    cursor.execute(f"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ({marks})", tables)
    laid = cursor.fetchall()
    for name, _ in laid:
        cursor.execute(f"DROP TRIGGER {name}")
    yield
    for _, text in laid:
        cursor.execute(text)
