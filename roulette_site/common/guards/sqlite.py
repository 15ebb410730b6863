"""The guards as triggers of SQLite."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .objects import DatabaseObject, Guard

# A column as Django writes it in the condition of an index.
_COLUMN = re.compile(r'"\w+"')
_OF_NEW = r"NEW.\g<0>"
# The one expression that an index is on, as Django writes it: CREATE UNIQUE INDEX "..." ON "..." ((LOWER("email"))).
_EXPRESSION = re.compile(r' ON "\w+" \(\((.*)\)\)')


def triggers_of(cursor: Any, guard: Guard) -> Iterator[DatabaseObject]:
    """The triggers of a guard, for the unique keys that its table has now."""
    table, keys = guard.table, unique_keys(cursor, guard)
    yield _trigger(f"{table}_no_delete", table, "BEFORE DELETE", "", f"{table}: rows are never deleted")
    # REPLACE deletes whatever shares a unique key, without a delete trigger where recursive_triggers is off.
    in_the_way = [_conflict(table, columns, condition) for columns, condition in keys]
    refusal = f"{table}: rows are never replaced"
    yield _trigger(f"{table}_no_replace", table, "BEFORE INSERT", " OR ".join(in_the_way), refusal)
    if guard.append_only:
        yield _trigger(f"{table}_no_update", table, "BEFORE UPDATE", "", f"{table}: rows are never changed")
        return
    yield _trigger(f"{table}_frozen", table, "BEFORE UPDATE", guard.changed("IS NOT"), f"{table}: this column is fixed")
    # UPDATE OR REPLACE does the same where a column that may change is part of a partial key's condition.
    pushed_out = [_conflict(table, columns, condition, besides=guard.key) for columns, condition in keys if condition]
    if pushed_out:
        yield _trigger(f"{table}_no_push_out", table, "BEFORE UPDATE", " OR ".join(pushed_out), refusal)


def what_stands(cursor: Any) -> dict[tuple[str, str], tuple[str | None, ...]]:
    """Every trigger by name and table, with its text."""
    cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
    return {(name, table): (text,) for name, table, text in cursor.fetchall()}


def stands(found: Mapping[tuple[str, str], tuple[str | None, ...]], one: DatabaseObject) -> bool:
    """Whether a trigger stands exactly as it was laid: SQLite keeps its text."""
    return found.get((one.name, one.table)) == (one.create,)


def columns_of_tables(cursor: Any) -> dict[str, set[str]]:
    """The columns of every table."""
    cursor.execute("SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'")
    columns: dict[str, set[str]] = {}
    for table, name in cursor.fetchall():
        columns.setdefault(table, set()).add(name)
    return columns


def unique_keys(cursor: Any, guard: Guard) -> list[tuple[tuple[str, ...], str]]:
    """Each unique key of the table: its columns (or expressions) as SQL, and the condition of a partial one."""
    cursor.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %s ORDER BY name", [guard.table]
    )
    created = dict(cursor.fetchall())
    cursor.execute(f"PRAGMA index_list({guard.table})")
    keys = {((f'"{guard.key}"',), "")}
    for _, name, is_unique, _, is_partial in cursor.fetchall():
        if is_unique:
            cursor.execute(f"PRAGMA index_info({name})")
            columns = tuple(column for _, _, column in cursor.fetchall())
            expression = _EXPRESSION.findall(created.get(name) or "") if None in columns else []
            quoted = tuple(expression or (f'"{column}"' for column in columns))
            keys.add((quoted, created[name].partition(" WHERE ")[2] if is_partial else ""))
    return sorted(keys)


def _conflict(table: str, columns: Iterable[str], condition: str, besides: str = "") -> str:
    """SQL that says whether another row holds the unique key that the new row has."""
    parts = [f"{column} = {_COLUMN.sub(_OF_NEW, column)}" for column in columns]
    if condition:
        parts.append(f"({condition})")
    if besides:
        parts.append(f"{besides} <> NEW.{besides}")
    exists = f"EXISTS (SELECT 1 FROM {table} WHERE {' AND '.join(parts)})"
    # A partial key binds only rows that meet its condition: the new one has to meet it too.
    met_by_new = _COLUMN.sub(_OF_NEW, condition)
    return f"({exists} AND ({met_by_new}))" if condition else exists


def _trigger(name: str, table: str, when: str, condition: str, message: str) -> DatabaseObject:
    guarded = f"\nWHEN {condition}" if condition else ""
    return DatabaseObject(
        name=name,
        table=table,
        create=f"CREATE TRIGGER {name} {when} ON {table}{guarded}\nBEGIN\n  SELECT RAISE(ABORT, '{message}');\nEND",
        drop=f"DROP TRIGGER IF EXISTS {name}",
    )


def names_of_triggers(cursor: Any) -> set[str]:
    """All triggers of the database."""
    cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    return {name for (name,) in cursor.fetchall()}
