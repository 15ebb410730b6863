"""Changing rows behind the back of the system, and what verify says of it."""

import re
from io import StringIO

from django.core.management import CommandError, call_command
from django.db import connection, transaction

from roulette_site.common import guards
from tests.unguarded import unguarded

_CHANGED = re.compile(r"(?:UPDATE|INSERT INTO|DELETE FROM) (\w+)")


def run_tampering(*statements: str) -> None:
    """Change rows as only the owner of the database can: with the guards out of the way, and back afterwards."""
    tables = sorted({found[1] for statement in statements if (found := _CHANGED.match(statement))})
    with transaction.atomic(), connection.cursor() as cursor:
        with unguarded(cursor, tables):
            for statement in statements:
                cursor.execute(statement)
                assert cursor.rowcount, f"nothing to tamper with: {statement}"
        assert guards.find_missing(connection) == []


def said(*checks: str) -> str:
    out = StringIO()
    status = 0
    try:
        call_command("verify", *checks, stdout=out)
    except CommandError as error:
        status = error.returncode
    return f"{out.getvalue()}{'NOT CLEAN' if status == 1 else ''}"
