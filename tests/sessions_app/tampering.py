"""Changing rows behind the back of the system, and what verify says of it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

from django.core.management import CommandError, call_command
from django.db import connection, transaction

from roulette_site.common import guards

_CHANGED = re.compile(r"(?:UPDATE|INSERT INTO|DELETE FROM) (\w+)")


def run_tampering(*statements: str) -> None:
    """Change rows as only the owner of the database can: with the guards out of the way, and back afterwards."""
    tables = sorted({found[1] for statement in statements if (found := _CHANGED.match(statement))})
    with transaction.atomic(), connection.cursor() as cursor:
        with _unguarded(cursor, tables):
            for statement in statements:
                cursor.execute(statement)
                assert cursor.rowcount, f"nothing to tamper with: {statement}"
        assert guards.find_missing(connection) == []


@contextmanager
def _unguarded(cursor: Any, tables: Sequence[str]) -> Iterator[None]:
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


def said(*checks: str) -> str:
    out = StringIO()
    status = 0
    try:
        call_command("verify", *checks, stdout=out)
    except CommandError as error:
        status = error.returncode
    return f"{out.getvalue()}{'NOT CLEAN' if status == 1 else ''}"
