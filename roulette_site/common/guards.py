"""What the database itself refuses: the one list of guarded tables, and the installer of their triggers.

Two kinds of table are guarded. An append-only one takes INSERT and nothing else. Of a guarded one some columns are
frozen (fixed at INSERT) or write-once (NULL, then fixed), and no row is deleted. Triggers hold both on SQLite and on
PostgreSQL, so that raw SQL and bulk writes are refused as well.

`install` runs after every migrate and may run any time: on SQLite a later ALTER TABLE rebuilds the table and loses its
triggers in silence. `find_missing` compares what stands with what ought to stand; `verify`, /readyz and a system check
use it.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper


@dataclass(frozen=True)
class Guard:
    """What is refused on one table. Without any columns named, everything but INSERT."""

    table: str
    frozen: tuple[str, ...] = ()
    write_once: tuple[str, ...] = ()
    key: str = "id"

    @property
    def append_only(self) -> bool:
        return not (self.frozen or self.write_once)


GUARDS = (
    Guard("wallets_transfer"),
    Guard("wallets_account", frozen=("id", "kind", "unit", "player_id")),
    Guard("wallets_player", frozen=("id", "user_id", "created_at")),
    Guard("tables_specificrules", frozen=("id", "rulebook_code", "rulebook_edition", "version", "created_at")),
    Guard("tables_publishedrules"),
    # The slug is part of the message that numbers are drawn from.
    Guard("tables_table", frozen=("id", "slug", "kind", "unit", "number_source", "in_play_id")),
    Guard(
        "tables_gameround",
        frozen=(
            "id", "table_id", "number", "seat_id", "rules_id", "rulebook_code", "rulebook_edition", "rulebook_digest",
            "minimum_cents", "opened_at",
        ),
        write_once=("bets_digest", "winning_number", "closed_at", "drawn_at", "settled_at"),
    ),
    Guard("tables_seat", frozen=("id", "table_id", "player_id", "account_id", "taken_at"), write_once=("left_at",)),
    Guard("tables_roundseed", key="game_round_id"),
    Guard("tables_rounddraw", key="game_round_id"),
    Guard("tables_roundevent"),
    Guard("tables_roundtotals", key="game_round_id"),
    Guard("tables_slip", key="transfer_id"),
    Guard("tables_slipcall"),
    Guard("tables_bet"),
    Guard("tables_slipwithdrawal", key="slip_id"),
    Guard("tables_betoutcome"),
    Guard(
        "sessions_app_gamesession",
        frozen=("id", "seat_id", "player_id", "started_at"),
        write_once=("ended_at", "end_basis"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class DatabaseObject:
    """A trigger or function as it ought to stand: `name` on `table` (empty for a function), made by `create`."""

    name: str
    table: str
    create: str
    drop: str


# A column as Django writes it in the condition of an index.
_COLUMN = re.compile(r'"\w+"')
_registered: list[tuple[str, DatabaseObject]] = []


def register(vendor: str, *objects: DatabaseObject) -> None:
    """Add an app's own triggers and functions to what `install` lays; called from AppConfig.ready."""
    for one in objects:
        if (vendor, one) not in _registered:
            _registered.append((vendor, one))


def install(connection: BaseDatabaseWrapper) -> None:
    """Lay every guard anew; tables that a partial migration has not made yet are passed over."""
    # One transaction, so that no moment is unguarded while others write.
    with transaction.atomic(using=connection.alias):
        uninstall(connection)
        with connection.cursor() as cursor:
            for one in _expected(connection):
                cursor.execute(one.create)
                if connection.vendor == "postgresql":
                    _mark(cursor, one)


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Take the guards away. For migrations and for the tests' flush; nothing in the running system calls it."""
    with connection.cursor() as cursor:
        for one in reversed(list(_expected(connection))):
            cursor.execute(one.drop)


def lift(connection: BaseDatabaseWrapper) -> None:
    """Take the triggers away, and leave the functions that other processes call; `install` lays all again."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for one in reversed(list(_expected(connection))):
            if one.table:
                cursor.execute(one.drop)


def find_missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Name each guard that does not stand exactly as it was laid."""
    return [one.name for one in _expected(connection) if not _stands(connection, one)]


def _expected(connection: BaseDatabaseWrapper) -> Iterator[DatabaseObject]:
    present = set(connection.introspection.table_names())
    for guard in GUARDS:
        if guard.table in present:
            yield from _guard_as_it_can_be(connection, guard)
    for vendor, one in _registered:
        if vendor == connection.vendor and (not one.table or one.table in present):
            yield one


def _guard_as_it_can_be(connection: BaseDatabaseWrapper, guard: Guard) -> Iterator[DatabaseObject]:
    """The guard's triggers for the columns and unique keys that the table has at this state of its migrations."""
    with connection.cursor() as cursor:
        columns = {one.name for one in connection.introspection.get_table_description(cursor, guard.table)}
        keys = [] if connection.vendor == "postgresql" else _sqlite_unique_keys(cursor, guard)
    if not guard.append_only:
        guard = replace(
            guard,
            frozen=tuple(name for name in guard.frozen if name in columns),
            write_once=tuple(name for name in guard.write_once if name in columns),
        )
    yield from _postgresql_guard(guard) if connection.vendor == "postgresql" else _sqlite_guard(guard, keys)


def _stands(connection: BaseDatabaseWrapper, one: DatabaseObject) -> bool:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = %s", [one.name])
            row = cursor.fetchone()
            return row is not None and row[0].strip() == one.create.strip()
        if not one.table:
            cursor.execute(
                "SELECT obj_description(p.oid, 'pg_proc'), md5(p.prosrc) FROM pg_proc p"
                " WHERE p.proname = %s AND p.pronamespace = current_schema()::regnamespace",
                [one.name],
            )
            row = cursor.fetchone()
            return row is not None and row[0] == _fingerprint(one) and row[1] == _body_md5(one)
        # 'O' is a trigger's ordinary state; one that was disabled shows 'D'.
        cursor.execute(
            f"SELECT obj_description(t.oid, 'pg_trigger'), t.tgenabled, {_DEFINITION} FROM pg_trigger t"
            " WHERE t.tgname = %s AND t.tgrelid = to_regclass(%s)",
            [one.name, one.table],
        )
        row = cursor.fetchone()
        return row is not None and row[0] == f"{_fingerprint(one)} {row[2]}" and row[1] == "O"


def _fingerprint(one: DatabaseObject) -> str:
    return hashlib.sha256(one.create.encode()).hexdigest()


def _body_md5(one: DatabaseObject) -> str:
    # What stands between the dollar quotes is what PostgreSQL keeps as the function's source.
    return hashlib.md5(one.create.split("$body$")[1].encode(), usedforsecurity=False).hexdigest()


# CREATE OR REPLACE keeps a trigger's comment: what the trigger does is part of its mark.
_DEFINITION = "md5(pg_get_triggerdef(t.oid))"


def _mark(cursor: Any, one: DatabaseObject) -> None:
    """Write on a trigger or function as what it was laid, so that `find_missing` sees whether it still is that."""
    if not one.table:
        cursor.execute(f"COMMENT ON FUNCTION {one.name} IS '{_fingerprint(one)}'")
        return
    cursor.execute(
        f"SELECT {_DEFINITION} FROM pg_trigger t WHERE t.tgname = %s AND t.tgrelid = to_regclass(%s)",
        [one.name, one.table],
    )
    (definition,) = cursor.fetchone()
    cursor.execute(f"COMMENT ON TRIGGER {one.name} ON {one.table} IS '{_fingerprint(one)} {definition}'")


# --- SQLite ---


def _sqlite_trigger(name: str, table: str, when: str, condition: str, message: str) -> DatabaseObject:
    guarded = f"\nWHEN {condition}" if condition else ""
    return DatabaseObject(
        name=name,
        table=table,
        create=f"CREATE TRIGGER {name} {when} ON {table}{guarded}\nBEGIN\n  SELECT RAISE(ABORT, '{message}');\nEND",
        drop=f"DROP TRIGGER IF EXISTS {name}",
    )


def _sqlite_unique_keys(cursor: Any, guard: Guard) -> list[tuple[tuple[str, ...], str]]:
    """Each unique key of the table: its columns, and the condition of a partial one (empty otherwise)."""
    cursor.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %s ORDER BY name", [guard.table]
    )
    created = dict(cursor.fetchall())
    cursor.execute(f"PRAGMA index_list({guard.table})")
    keys = {((guard.key,), "")}
    for _, name, is_unique, _, is_partial in cursor.fetchall():
        if is_unique:
            cursor.execute(f"PRAGMA index_info({name})")
            columns = tuple(column for _, _, column in cursor.fetchall())
            keys.add((columns, created[name].partition(" WHERE ")[2] if is_partial else ""))
    return sorted(keys)


def _sqlite_guard(guard: Guard, keys: Iterable[tuple[tuple[str, ...], str]]) -> Iterator[DatabaseObject]:
    table = guard.table
    yield _sqlite_trigger(f"{table}_no_delete", table, "BEFORE DELETE", "", f"{table}: rows are never deleted")
    # REPLACE deletes whatever shares a unique key, without a delete trigger where recursive_triggers is off.
    in_the_way = [_sqlite_conflict(table, columns, condition) for columns, condition in keys]
    refusal = f"{table}: rows are never replaced"
    yield _sqlite_trigger(f"{table}_no_replace", table, "BEFORE INSERT", " OR ".join(in_the_way), refusal)
    if guard.append_only:
        yield _sqlite_trigger(f"{table}_no_update", table, "BEFORE UPDATE", "", f"{table}: rows are never changed")
        return
    yield _sqlite_trigger(
        f"{table}_frozen", table, "BEFORE UPDATE", _changed(guard, "IS NOT"), f"{table}: this column is fixed"
    )
    # UPDATE OR REPLACE does the same where a column that may change is part of a partial key's condition.
    pushed_out = [
        _sqlite_conflict(table, columns, condition, besides=guard.key) for columns, condition in keys if condition
    ]
    if pushed_out:
        yield _sqlite_trigger(f"{table}_no_push_out", table, "BEFORE UPDATE", " OR ".join(pushed_out), refusal)


def _sqlite_conflict(table: str, columns: Iterable[str], condition: str, besides: str = "") -> str:
    """SQL that says whether another row holds the unique key that the new row has."""
    parts = [f'"{column}" = NEW."{column}"' for column in columns]
    if condition:
        parts.append(f"({condition})")
    if besides:
        parts.append(f"{besides} <> NEW.{besides}")
    exists = f"EXISTS (SELECT 1 FROM {table} WHERE {' AND '.join(parts)})"
    # A partial key binds only rows that meet its condition: the new one has to meet it too.
    met_by_new = _COLUMN.sub(r"NEW.\g<0>", condition)
    return f"({exists} AND ({met_by_new}))" if condition else exists


def _changed(guard: Guard, differs: str) -> str:
    parts = [f"NEW.{c} {differs} OLD.{c}" for c in guard.frozen]
    parts += [f"(OLD.{c} IS NOT NULL AND NEW.{c} {differs} OLD.{c})" for c in guard.write_once]
    return " OR ".join(parts)


# --- PostgreSQL ---


def _postgresql_guard(guard: Guard) -> Iterator[DatabaseObject]:
    table = guard.table
    yield postgresql_function(
        f"{table}_refuse",
        "() RETURNS trigger",
        f"BEGIN RAISE EXCEPTION '{table}: % refused', TG_OP USING ERRCODE = 'restrict_violation'; END",
    )
    yield postgresql_trigger(f"{table}_no_delete", table, "BEFORE DELETE", "FOR EACH ROW", f"{table}_refuse")
    yield postgresql_trigger(f"{table}_no_truncate", table, "BEFORE TRUNCATE", "FOR EACH STATEMENT", f"{table}_refuse")
    condition = "" if guard.append_only else f" WHEN ({_changed(guard, 'IS DISTINCT FROM')})"
    yield postgresql_trigger(
        f"{table}_no_update", table, "BEFORE UPDATE", f"FOR EACH ROW{condition}", f"{table}_refuse"
    )


def postgresql_function(name: str, signature: str, body: str) -> DatabaseObject:
    """A PL/pgSQL function `name``signature` with `body`; its name is unique, so it is dropped by name alone."""
    return DatabaseObject(
        name=name,
        table="",
        create=f"CREATE OR REPLACE FUNCTION {name}{signature} LANGUAGE plpgsql AS $body${body}$body$",
        drop=f"DROP FUNCTION IF EXISTS {name} CASCADE",
    )


def postgresql_trigger(name: str, table: str, when: str, each: str, function: str) -> DatabaseObject:
    """A trigger that calls `function`."""
    return DatabaseObject(
        name=name,
        table=table,
        create=f"CREATE OR REPLACE TRIGGER {name} {when} ON {table} {each} EXECUTE FUNCTION {function}()",
        drop=f"DROP TRIGGER IF EXISTS {name} ON {table}",
    )


def protected_tables() -> Iterable[str]:
    """The names of all guarded tables."""
    return [guard.table for guard in GUARDS]
