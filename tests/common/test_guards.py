"""That the guards stand: laid, found missing, laid again, after any migration and from every past state."""

import copy
import re
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models.signals import post_migrate, pre_migrate

from roulette_site.common import guards
from roulette_site.common.guards import GUARDS, Guard
from tests.house import make_evening

from .guarded import (
    MODELS,
    MUTABLE_COLUMNS,
    OUR_APPS,
    ROOT,
    UNGUARDED,
    Evening,
    a_row,
    append_only,
    by_table,
    cannot_be_emptied,
    column,
    columns_of,
    other,
    play_an_evening,
    recursive_triggers,
    refused,
    rolled_back,
    run,
    settle_constraints,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def evening() -> Evening:
    return play_an_evening()


def names_of_guards() -> list[str]:
    return [one.name for one in guards._expected(connection)]


def test_every_guard_stands_and_laying_them_again_changes_nothing() -> None:
    expected = names_of_guards()
    assert len(expected) == len(set(expected))
    for _ in range(2):
        assert guards.find_missing(connection) == []
        guards.install(connection)
    assert guards.find_missing(connection) == []
    guards.uninstall(connection)
    assert guards.find_missing(connection) == expected
    guards.install(connection)
    assert guards.find_missing(connection) == []


def test_a_guard_that_was_dropped_is_named_and_laid_again(evening: Evening) -> None:
    expected = list(guards._expected(connection))
    settle_constraints()
    for one in expected:
        with rolled_back():
            if one.table:
                run(f"DROP TRIGGER {one.name}" + f" ON {one.table}" * (connection.vendor == "postgresql"))
                gone = [one.name]
            else:
                run(f"DROP FUNCTION {one.name} CASCADE")
                calls = f"EXECUTE FUNCTION {one.name}()"
                gone = [other.name for other in expected if other is one or other.create.endswith(calls)]
            assert guards.find_missing(connection) == gone
            if one is expected[0]:
                guards.install(connection)
                assert guards.find_missing(connection) == []


@pytest.mark.postgresql
@pytest.mark.parametrize("how", ["DISABLE TRIGGER", "ENABLE REPLICA TRIGGER"])
def test_a_trigger_that_was_disabled_is_named(how: str) -> None:
    for one in list(guards._expected(connection)):
        if one.table:
            with rolled_back():
                run(f"ALTER TABLE {one.table} {how} {one.name}")
                assert guards.find_missing(connection) == [one.name]


@pytest.mark.postgresql
def test_a_function_with_another_body_is_named() -> None:
    """Replaced in place: its name, its comment and the triggers that call it stay."""
    for one in list(guards._expected(connection)):
        if not one.table:
            with rolled_back():
                does_nothing = "BEGIN RETURN;" if "RETURNS TABLE" in one.create else "BEGIN RETURN NULL;"
                run(one.create.replace("BEGIN", does_nothing, 1))
                assert guards.find_missing(connection) == [one.name]


def test_a_trigger_that_was_replaced_by_one_that_never_fires_is_named() -> None:
    for one in [one for one in guards._expected(connection) if one.table]:
        with rolled_back():
            if connection.vendor == "sqlite":
                run(f"DROP TRIGGER {one.name}")
                run(re.sub(r"(ON \w+)\n.*?BEGIN", r"\1 WHEN 0 BEGIN", one.create, count=1, flags=re.DOTALL))
            else:
                # In place, which keeps the trigger's comment.
                run(re.sub(r"FOR EACH (ROW|STATEMENT).* EXECUTE", r"FOR EACH \1 WHEN (false) EXECUTE", one.create))
            assert guards.find_missing(connection) == [one.name]


@pytest.mark.postgresql
def test_a_trigger_that_calls_another_function_is_named() -> None:
    run("CREATE FUNCTION refuse_nothing() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$")
    on = "BEFORE TRUNCATE ON tables_bet"
    run(f"CREATE OR REPLACE TRIGGER tables_bet_no_truncate {on} EXECUTE FUNCTION refuse_nothing()")
    assert guards.find_missing(connection) == ["tables_bet_no_truncate"]


def test_a_table_that_is_not_there_yet_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "GUARDS", (*GUARDS, Guard("tables_of_next_year")))
    guards.install(connection)
    assert guards.find_missing(connection) == []


def test_every_table_of_ours_is_guarded_or_known_to_change() -> None:
    ours = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in OUR_APPS and model._meta.managed
    }
    assert ours == UNGUARDED | set(guards.protected_tables())
    assert not UNGUARDED & set(guards.protected_tables())


@by_table
def test_a_guard_names_columns_that_exist_and_its_tables_key(guard: Guard) -> None:
    names = {field.column for field in columns_of(guard.table)}
    primary_key = MODELS[guard.table]._meta.pk
    assert primary_key is not None
    assert primary_key.column == guard.key
    assert set(guard.frozen) | set(guard.write_once) <= names
    assert not set(guard.frozen) & set(guard.write_once)
    if guard.append_only:
        assert guard.table not in MUTABLE_COLUMNS
    else:
        assert names - set(guard.frozen) - set(guard.write_once) == MUTABLE_COLUMNS[guard.table]


@append_only
def test_no_code_changes_an_append_only_table(guard: Guard) -> None:
    model = MODELS[guard.table].__name__
    change = re.compile(
        rf"\bUPDATE {guard.table}\b|\bDELETE FROM {guard.table}\b"
        rf"|\b{model}\.objects\b[^\n]*\.(update|delete|bulk_update|update_or_create)\("
    )
    for folder in ("roulette_site", *OUR_APPS[1:]):
        for path in (ROOT / folder).rglob("*.py"):
            assert not change.search(path.read_text()), path


@contextmanager
def fresh_database() -> Iterator[None]:
    """Let the default connection be one to an empty database of its own, which is gone afterwards."""
    tests_connection = connections["default"]
    name = f"guards_{uuid.uuid4().hex[:12]}"
    own = tests_connection.copy(alias="default")
    if tests_connection.vendor == "sqlite":
        file = Path(str(tests_connection.settings_dict["NAME"])).with_name(f"{name}.sqlite3")
        own.settings_dict["NAME"] = str(file)
    else:
        own.settings_dict["NAME"] = name
        own.settings_dict["OPTIONS"] = {k: v for k, v in own.settings_dict["OPTIONS"].items() if k != "pool"}
        _on_server(tests_connection, f"CREATE DATABASE {name}")
    connections["default"] = own
    ContentType.objects.clear_cache()
    try:
        with closing(own):
            yield
    finally:
        connections["default"] = tests_connection
        ContentType.objects.clear_cache()
        if tests_connection.vendor == "sqlite":
            for suffix in ("", "-wal", "-shm"):
                Path(f"{file}{suffix}").unlink(missing_ok=True)
        else:
            _on_server(tests_connection, f"DROP DATABASE {name} WITH (FORCE)")


def _on_server(tests_connection: Any, statement: str) -> None:
    parameters = tests_connection.get_connection_params()
    wanted = {key: parameters[key] for key in ("host", "port", "user", "password") if parameters.get(key)}
    with psycopg.connect(dbname="postgres", autocommit=True, **wanted) as server:
        server.execute(statement)


def our_migrations() -> list[tuple[str, str]]:
    """Every migration of our apps, in an order in which they can be run."""
    graph = MigrationLoader(None).graph
    plan: list[tuple[str, str]] = []
    for leaf in graph.leaf_nodes():
        plan += [key for key in graph.forwards_plan(leaf) if key not in plan]
    return [key for key in plan if key[0] in OUR_APPS]


@pytest.mark.parametrize("past", our_migrations(), ids=lambda key: "/".join(key))
def test_from_every_past_state_the_head_is_reached_with_every_guard(past: tuple[str, str]) -> None:
    with fresh_database():
        call_command("migrate", *past, verbosity=0)
        assert MigrationExecutor(connection).loader.applied_migrations.keys() >= {past}
        assert guards.find_missing(connection) == []
        call_command("migrate", verbosity=0)
        executor = MigrationExecutor(connection)
        assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
        assert guards.find_missing(connection) == []
        present = set(connection.introspection.table_names())
        assert set(guards.protected_tables()) <= present
        play_an_evening()
        for guard in GUARDS:
            nothing_can_be_done_to(guard)


def nothing_can_be_done_to(guard: Guard) -> None:
    """Find every way refused in which SQL can take a row away, change it or put another in its place."""
    table, key = guard.table, guard.key
    refused(table, f"DELETE FROM {table}")
    row = a_row(table)
    name = next(name for name in (*guard.frozen, *(field.column for field in columns_of(table))) if name != key)
    value = other(column(table, name), row[name])
    refused(table, f"UPDATE {table} SET {name} = %s WHERE {key} = %s", [value, row[key]])
    refused(table, f"UPDATE {table} SET {key} = {key} + 1000000")
    again = f"SELECT * FROM {table} WHERE {key} = %s"
    if connection.vendor == "sqlite":
        refused(table, f"UPDATE OR REPLACE {table} SET {name} = %s WHERE {key} = %s", [value, row[key]])
        for state in ("ON", "OFF"):
            with recursive_triggers(state):
                refused(table, f"INSERT OR REPLACE INTO {table} {again}", [row[key]])
                refused(table, f"REPLACE INTO {table} {again}", [row[key]])
    else:
        on_conflict = f"ON CONFLICT ({key}) DO UPDATE SET {name} = %s"
        refused(table, f"INSERT INTO {table} {again} {on_conflict}", [row[key], value])
        settle_constraints()
        cannot_be_emptied(table)


def migrating(*plan: tuple[str, str]) -> dict[str, Any]:
    """What Django sends before and after a migrate that has these migrations to run."""
    migrations = MigrationLoader(None).disk_migrations
    return {
        "app_config": apps.get_app_config("common"),
        "using": "default",
        "verbosity": 0,
        "interactive": False,
        "apps": apps,
        "plan": [(migrations[key], False) for key in plan],
    }


def test_a_migrate_that_has_nothing_to_do_leaves_no_moment_unguarded() -> None:
    """Every start of the site migrates; meanwhile others may play on."""
    pre_migrate.send(sender=apps.get_app_config("common"), **migrating())
    assert guards.find_missing(connection) == []


@pytest.mark.postgresql
def test_bets_are_placed_while_a_migrate_runs() -> None:
    """The function that places them is no guard: web processes of the old version call it until they are replaced."""
    maria = make_evening().seated()
    pre_migrate.send(sender=apps.get_app_config("common"), **migrating(our_migrations()[-1]))
    assert "tables_place_slip_v1" not in guards.find_missing(connection)
    assert maria.place({"type": "red", "stake": "1.00"}).slip_id


def test_a_migration_can_rebuild_any_table_and_leaves_it_guarded() -> None:
    """SQLite rebuilds a table for most changes: it refuses while a trigger names that table, and loses its own."""
    common = apps.get_app_config("common")
    sent = migrating(our_migrations()[-1])
    failed = {}
    with fresh_database():
        call_command("migrate", verbosity=0)
        pre_migrate.send(sender=common, **sent)
        for table in guards.protected_tables():
            field = columns_of(table)[-1]
            changed = copy.copy(field)
            changed.null = not field.null
            try:
                with connection.schema_editor() as editor:
                    editor.alter_field(MODELS[table], field, changed)
            except DatabaseError as error:
                failed[table] = str(error)
        post_migrate.send(sender=common, **sent)
        assert guards.find_missing(connection) == []
    assert failed == {}
