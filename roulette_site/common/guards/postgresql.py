"""The guards as triggers and functions of PostgreSQL."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from .objects import DatabaseObject, Guard

# CREATE OR REPLACE keeps a trigger's comment: what the trigger does is part of its mark.
_DEFINITION = "md5(pg_get_triggerdef(t.oid))"


def triggers_of(guard: Guard) -> Iterator[DatabaseObject]:
    """The triggers of a guard and the function that they call."""
    table = guard.table
    yield postgresql_function(
        f"{table}_refuse",
        "() RETURNS trigger",
        f"BEGIN RAISE EXCEPTION '{table}: % refused', TG_OP USING ERRCODE = 'restrict_violation'; END",
    )
    yield postgresql_trigger(f"{table}_no_delete", table, "BEFORE DELETE", "FOR EACH ROW", f"{table}_refuse")
    yield postgresql_trigger(f"{table}_no_truncate", table, "BEFORE TRUNCATE", "FOR EACH STATEMENT", f"{table}_refuse")
    condition = "" if guard.append_only else f" WHEN ({guard.changed('IS DISTINCT FROM')})"
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


def mark(cursor: Any, one: DatabaseObject) -> None:
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


def what_stands(cursor: Any) -> dict[tuple[str, str], tuple[str | None, ...]]:
    """Every trigger (by name and table) and function (by name) of the schema, with its mark and what it is now."""
    cursor.execute(
        f"SELECT t.tgname, c.relname, obj_description(t.oid, 'pg_trigger'), t.tgenabled, {_DEFINITION}"
        " FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"
    )
    found: dict[tuple[str, str], tuple[str | None, ...]] = {(row[0], row[1]): row[2:] for row in cursor.fetchall()}
    cursor.execute(
        "SELECT p.proname, obj_description(p.oid, 'pg_proc'), md5(p.prosrc) FROM pg_proc p"
        " WHERE p.pronamespace = current_schema()::regnamespace"
    )
    return found | {(row[0], ""): row[1:] for row in cursor.fetchall()}


def stands(found: Mapping[tuple[str, str], tuple[str | None, ...]], one: DatabaseObject) -> bool:
    """Whether a trigger or function stands exactly as it was laid: its mark says as what."""
    row = found.get((one.name, one.table))
    if row is None:
        return False
    if not one.table:
        return row == (_fingerprint(one), _body_md5(one))
    mark, enabled, definition = row
    # 'O' is a trigger's ordinary state; one that was disabled shows 'D'.
    return mark == f"{_fingerprint(one)} {definition}" and enabled == "O"


def columns_of_tables(cursor: Any) -> dict[str, set[str]]:
    """The columns of every table of the schema."""
    cursor.execute(
        "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        " WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')"
        " AND c.relnamespace = current_schema()::regnamespace"
    )
    columns: dict[str, set[str]] = {}
    for table, name in cursor.fetchall():
        columns.setdefault(table, set()).add(name)
    return columns


def _fingerprint(one: DatabaseObject) -> str:
    return hashlib.sha256(one.create.encode()).hexdigest()


def _body_md5(one: DatabaseObject) -> str:
    # What stands between the dollar quotes is what PostgreSQL keeps as the function's source.
    return hashlib.md5(one.create.split("$body$")[1].encode(), usedforsecurity=False).hexdigest()


def names_of_triggers(cursor: Any) -> set[str]:
    """All triggers of the schema but PostgreSQL's own."""
    cursor.execute(
        "SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"
    )
    return {name for (name,) in cursor.fetchall()}
