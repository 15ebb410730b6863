"""Placing on SQLite: the site's own way beside raw sqlite3 that runs the same statements on a copy of the same file."""

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from .pairs import Result, measure

PLAYERS = 500
# More than either side can do in one stretch; each stretch goes over the same slips on a fresh copy.
SLIPS = 20_000
Statements = list[tuple[str, list[tuple[Any, ...]]]]


def run(*, pairs: int, seconds: float) -> Iterator[Result]:
    """Measure on the database of DATABASE_URL, which is this run's own; settings are loaded already."""
    from django.db import connection

    from tables.placing import place_slip

    from .crowd import seat_crowd, slips

    places = seat_crowd(players=PLAYERS, tables=1)
    file = Path(connection.settings_dict["NAME"])
    connection.close()
    clean = file.with_suffix(".clean")
    shutil.copy(file, clean)

    def fresh() -> None:
        connection.close()
        for one in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
            one.unlink(missing_ok=True)
        shutil.copy(clean, file)

    wanted = list(islice(slips(places, name="sqlite", seed=1), SLIPS))

    def site(length: float) -> float:
        fresh()
        connection.ensure_connection()
        return _rate(lambda n: place_slip(wanted[n]), length)

    fresh()
    recorded = _record(wanted[:2000], place_slip)

    def raw(length: float) -> float:
        fresh()
        with sqlite3.connect(file, isolation_level=None) as database:
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON"):
                database.execute(f"PRAGMA {pragma}")
            return _rate(lambda n: _replay(database, recorded[n]), min(length, 10.0), most=len(recorded))

    yield measure(
        name="a bet of one chip with every check on SQLite, synchronous FULL, beside raw sqlite3 doing the same",
        goal=0.60, anchor=raw, subject=site, pairs=pairs, seconds=seconds,
    )  # fmt: skip


def _rate(act: Callable[[int], Any], seconds: float, most: int = SLIPS) -> float:
    begun = time.perf_counter()
    done = 0
    while done < most and time.perf_counter() - begun < seconds:
        act(done)
        done += 1
    return done / (time.perf_counter() - begun)


def _record(wanted: list[Any], place: Callable[[Any], Any]) -> list[Statements]:
    """The statements that placing runs for each slip, with their parameters, as sqlite3 itself takes them."""
    from tables.placing import sqlite

    recorded: list[Statements] = []

    class Noting:
        """The cursor that placing has, which notes what it is asked to run."""

        def __init__(self, cursor: sqlite3.Cursor) -> None:
            self.cursor = cursor

        def execute(self, sql: str, row: Any) -> Any:
            recorded[-1].append((sql, [tuple(row)]))
            return self.cursor.execute(sql, row)

        def executemany(self, sql: str, rows: Any) -> Any:
            recorded[-1].append((sql, [tuple(row) for row in rows]))
            return self.cursor.executemany(sql, rows)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.cursor, name)

    own = sqlite.native_sqlite_cursor

    @contextmanager
    def noting() -> Iterator[Any]:
        with own() as cursor:
            yield Noting(cursor)

    with patch.object(sqlite, "native_sqlite_cursor", noting):
        for slip in wanted:
            recorded.append([])
            assert place(slip).slip_id is not None
    return recorded


def _replay(database: sqlite3.Connection, statements: Statements) -> None:
    database.execute("BEGIN IMMEDIATE")
    for sql, rows in statements:
        for row in rows:
            cursor = database.execute(sql, row)
            if sql.startswith("SELECT") or "RETURNING" in sql:
                cursor.fetchall()
    database.execute("COMMIT")
