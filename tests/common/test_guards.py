"""What the database itself refuses, whoever asks it: by raw SQL, in bulk, by REPLACE, after any migration."""

import copy
import datetime as dt
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models.signals import post_migrate, pre_migrate

from roulette_site.common import guards
from roulette_site.common.guards import GUARDS, Guard
from tables.models import GameRound, Seat
from tests.house import NOON, PlayerAtTable, make_evening
from wallets.models import Account, AccountKind, Reason, Transfer, Unit
from wallets.services.ledger import open_wallet, operator_account

pytestmark = pytest.mark.django_db

OUR_APPS = ("common", "wallets", "tables", "sessions_app")
MODELS = {model._meta.db_table: model for model in apps.get_models()}
ROOT = Path(__file__).resolve().parents[2]

by_table = pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.table)
append_only = pytest.mark.parametrize("guard", [g for g in GUARDS if g.append_only], ids=lambda guard: guard.table)
with_columns = pytest.mark.parametrize("guard", [g for g in GUARDS if not g.append_only], ids=lambda guard: guard.table)

# What services write in rows of these tables after they were inserted, and why no guard can refuse it.
MUTABLE_COLUMNS = {
    "wallets_account": {
        "balance_cents",
        "barred",
        "excluded_until",
        "stake_limit_cents",
        "loss_day_limit_cents",
        "loss_week_limit_cents",
        "loss_month_limit_cents",
    },
    "wallets_player": {"handle", "kyc_state", "standing", "is_restricted"},
    "wallets_playerday": {"deposited_cents", "staked_cents", "returned_cents"},
    # Which state may follow which, wallets/guards.py says.
    "wallets_cashrequest": {"state"},
    "wallets_person": {
        "birth_date",
        "country",
        "language",
        "time_zone",
        "address",
        "document_type",
        "document_number_sealed",
        "document_hash",
        "email_hash",
        "name_hash",
    },
    "tables_table": {"name", "rules_id", "minimum_cents", "state", "last_round_number", "last_event_sequence"},
    # Of these two tables/guards.py says which change when.
    "tables_specificrules": {
        "status",
        "split_dozens_offered",
        "split_columns_offered",
        "call_bets",
        "total_limit_cents",
        "stake_step_cents",
        "launch_within_seconds",
        "approval_reference",
        "approved_at",
        "in_force_from",
    },
    "tables_gameround": {"state", "closes_at", "client_seed"},
    "tables_seat": {"play_until", "reality_check_at"},
    # One way (roulette_site/common/guards/requests.py).
    "common_foureyesrequest": {"state"},
    "sessions_app_gamesession": set(),
}
# People and keys are changed and, as personal data, erased; the house's own particulars are administered.
UNGUARDED = {
    "wallets_user", "wallets_user_groups", "wallets_user_user_permissions", "wallets_apikey", "common_operator",
    "wallets_loginrecord",
    # On SQLite it holds a row while an audited act is open, and none afterwards.
    "common_actinhand",
}  # fmt: skip


@dataclass(frozen=True)
class Evening:
    """A row in every guarded table, and two players who still sit there, each with a round open."""

    maria: PlayerAtTable
    joao: PlayerAtTable


def play_an_evening() -> Evening:
    house = make_evening()
    return Evening(house.seated(), house.seated())


@pytest.fixture
def evening() -> Evening:
    return play_an_evening()


def rows(table: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return sorted(cursor.fetchall(), key=repr)


def run(sql: str, parameters: Any = ()) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # Without parameters a percent sign is one.
        cursor.execute(sql, parameters or None)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo on the way out what was done inside, whatever the constraints would say of it."""
    point = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)


def refused(table: str, sql: str, parameters: Any = ()) -> None:
    """Run what must be refused by the table's own guard (not by a constraint), and find every row as it was."""
    before = rows(table)
    assert before, f"the evening left no row in {table}"
    with pytest.raises(IntegrityError, match=f"^{table}: "):
        run(sql, parameters)
    assert rows(table) == before


def columns_of(table: str) -> list[models.Field]:
    return list(MODELS[table]._meta.concrete_fields)


def column(table: str, name: str) -> models.Field:
    return next(field for field in columns_of(table) if field.column == name)


def other(field: models.Field, value: Any) -> Any:
    """Another value of the column's type, as the database takes it."""
    target = field
    while target.is_relation:
        target = target.target_field
    match target:
        case models.DateTimeField():
            changed: Any = NOON + dt.timedelta(days=1000)
        case models.DateField():
            changed = dt.date(1999, 1, 1)
        case models.SmallIntegerField() | models.PositiveSmallIntegerField():
            changed = (value or 0) + 1
        case models.IntegerField():
            changed = (value or 0) + 1_000_000
        case models.JSONField():
            changed = {"other": True}
        case models.BooleanField():
            changed = not value
        case models.BinaryField():
            changed = b"other"
        case _:
            changed = "x" if value != "x" else "y"
    return target.get_db_prep_save(changed, connection)


def a_row(table: str, where: str = "") -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} {where} LIMIT 1")
        row = cursor.fetchone()
        assert row is not None, f"the evening left no row in {table} {where}"
        return dict(zip((one[0] for one in cursor.description), row, strict=True))


@by_table
def test_no_row_is_deleted(guard: Guard, evening: Evening) -> None:
    refused(guard.table, f"DELETE FROM {guard.table}")
    key = a_row(guard.table)[guard.key]
    refused(guard.table, f"DELETE FROM {guard.table} WHERE {guard.key} = %s", [key])


@by_table
def test_no_row_is_deleted_or_changed_by_the_orm(guard: Guard, evening: Evening) -> None:
    model, before = MODELS[guard.table], rows(guard.table)
    with pytest.raises(IntegrityError, match=f"^{guard.table}: "), transaction.atomic():
        model._base_manager.all()._raw_delete(using="default")
    changes = guard.frozen or [field.column for field in columns_of(guard.table)]
    field = column(guard.table, next(name for name in changes if name != guard.key))
    is_instant = isinstance(field, models.DateTimeField)
    value = NOON if is_instant else 10**6 if field.is_relation else other(field, 1)
    with pytest.raises(IntegrityError, match=f"^{guard.table}: "), transaction.atomic():
        model._base_manager.update(**{field.name: value})
    assert rows(guard.table) == before


@append_only
def test_an_append_only_row_is_not_changed_in_any_column(guard: Guard, evening: Evening) -> None:
    refused(guard.table, f"UPDATE {guard.table} SET {guard.key} = {guard.key}")
    row = a_row(guard.table)
    for field in columns_of(guard.table):
        refused(
            guard.table,
            f"UPDATE {guard.table} SET {field.column} = %s WHERE {guard.key} = %s",
            [other(field, row[field.column]), row[guard.key]],
        )


@with_columns
def test_a_frozen_column_keeps_what_was_inserted(guard: Guard, evening: Evening) -> None:
    for name in guard.frozen:
        field = column(guard.table, name)
        row = a_row(guard.table, f"WHERE {name} IS NOT NULL")
        for value in [other(field, row[name]), *([None] if field.null else [])]:
            refused(
                guard.table,
                f"UPDATE {guard.table} SET {name} = %s WHERE {guard.key} = %s",
                [value, row[guard.key]],
            )
        refused(guard.table, f"UPDATE {guard.table} SET {name} = %s", [other(field, row[name])])


def test_a_frozen_column_that_was_left_empty_stays_empty(evening: Evening) -> None:
    player_id = evening.maria.seat.player_id
    refused("wallets_account", "UPDATE wallets_account SET player_id = %s WHERE kind = 'bank'", [player_id])


@with_columns
def test_a_write_once_column_is_written_once(guard: Guard, evening: Evening) -> None:
    for name in guard.write_once:
        field = column(guard.table, name)
        row = a_row(guard.table, f"WHERE {name} IS NOT NULL")
        for value in (other(field, row[name]), None):
            refused(
                guard.table, f"UPDATE {guard.table} SET {name} = %s WHERE {guard.key} = %s", [value, row[guard.key]]
            )
        # The same value again is no change.
        run(f"UPDATE {guard.table} SET {name} = {name}")


def test_a_write_once_column_can_be_written_for_the_first_time(evening: Evening) -> None:
    open_round = evening.maria.game_round
    assert open_round.bets_digest is None
    assert GameRound.objects.filter(pk=open_round.pk).update(bets_digest="a", closed_at=NOON) == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        GameRound.objects.filter(pk=open_round.pk).update(bets_digest="b")
    assert Seat.objects.filter(pk=evening.maria.seat.pk).update(left_at=NOON) == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        Seat.objects.filter(pk=evening.maria.seat.pk).update(left_at=None)


def test_what_services_write_later_is_not_refused(evening: Evening) -> None:
    Account.objects.filter(pk=evening.maria.wallet.pk).update(balance_cents=1)
    GameRound.objects.filter(pk=evening.maria.game_round.pk).update(closes_at=None, client_seed="x")


@pytest.mark.postgresql
@by_table
def test_no_table_is_emptied(guard: Guard, evening: Evening) -> None:
    settle_constraints()
    cannot_be_emptied(guard.table)


def cannot_be_emptied(table: str) -> None:
    for cascade in ("", " CASCADE"):
        before = rows(table)
        # Where rows of another table point here, PostgreSQL itself refuses without CASCADE.
        own_refusal = f"^{table}: TRUNCATE refused" + ("|^cannot truncate a table referenced" * (not cascade))
        with pytest.raises(Exception, match=own_refusal) as raised:
            run(f"TRUNCATE {table}{cascade}")
        assert raised.type.__module__ == "django.db.utils"
        assert rows(table) == before


@pytest.mark.postgresql
@by_table
def test_no_row_is_changed_by_a_conflicting_insert(guard: Guard, evening: Evening) -> None:
    row = a_row(guard.table)
    name = next(name for name in (*guard.frozen, *(f.column for f in columns_of(guard.table))) if name != guard.key)
    value = other(column(guard.table, name), row[name])
    insert = (
        f"INSERT INTO {guard.table} SELECT * FROM {guard.table} WHERE {guard.key} = %s"
        f" ON CONFLICT ({guard.key}) DO UPDATE SET {name} = %s"
    )
    refused(guard.table, insert, [row[guard.key], value])
    merge = (
        f"MERGE INTO {guard.table} t USING (SELECT %s::bigint AS key) s ON t.{guard.key} = s.key"
        f" WHEN MATCHED THEN UPDATE SET {name} = %s"
    )
    refused(guard.table, merge, [row[guard.key], value])


def unique_columns(table: str) -> list[list[str]]:
    """The columns of each unique index of the table but for its key's."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
    return [one["columns"] for one in found.values() if one["unique"] and not one["primary_key"]]


@pytest.mark.sqlite
@by_table
@pytest.mark.parametrize("recursive_triggers", ["ON", "OFF"])
def test_no_row_is_replaced(guard: Guard, evening: Evening, recursive_triggers: str) -> None:
    """Also not by a connection like the sqlite3 shell's, for which a REPLACE deletes without a delete trigger."""
    run(f"PRAGMA recursive_triggers = {recursive_triggers}")
    try:
        for row_key in (row[0] for row in _keys(guard)):
            for statement in ("INSERT OR REPLACE", "REPLACE"):
                refused(
                    guard.table,
                    f"{statement} INTO {guard.table} SELECT * FROM {guard.table} WHERE {guard.key} = %s",
                    [row_key],
                )
    finally:
        run("PRAGMA recursive_triggers = ON")


def _keys(guard: Guard) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {guard.key} FROM {guard.table} LIMIT 3")
        return list(cursor.fetchall())


# Rows that a unique index with a condition looks at.
WITHIN_INDEX = {
    ("wallets_account", "player_id"): "kind = 'wallet'",
    ("wallets_account", "kind"): "kind = 'bank'",
    ("wallets_findingstep", "finding_id"): "kind = 'resolved'",
    ("tables_gameround", "seat_id"): "state = 'betting'",
    ("tables_seat", "table_id"): "left_at IS NULL",
}


@contextmanager
def recursive_triggers(state: str) -> Iterator[None]:
    """Set it on this connection; what was done inside is undone."""
    run(f"PRAGMA recursive_triggers = {state}")
    try:
        with rolled_back():
            yield
    finally:
        run("PRAGMA recursive_triggers = ON")


@pytest.mark.sqlite
@by_table
@pytest.mark.parametrize("state", ["ON", "OFF"])
def test_no_row_is_replaced_through_another_unique_key(guard: Guard, evening: Evening, state: str) -> None:
    """A new row with a fresh key but, say, the idempotency key of a row that stands would push that one out."""
    for unique in unique_columns(guard.table):
        if unique == [guard.key]:
            continue
        row = a_row(guard.table, f"WHERE {unique[0]} IS NOT NULL AND {WITHIN_INDEX.get((guard.table, unique[0]), '1')}")
        old, row[guard.key] = row[guard.key], 10**9
        names, marks = ", ".join(row), ", ".join(["%s"] * len(row))
        with recursive_triggers(state):
            with suppress(IntegrityError):
                run(f"INSERT OR REPLACE INTO {guard.table} ({names}) VALUES ({marks})", list(row.values()))
            still = a_row(guard.table, f"WHERE {guard.key} = {old}")
            assert still == row | {guard.key: old}, f"pushed out through {unique}"
            assert not [one for one in rows(guard.table) if 10**9 in one]


@pytest.mark.sqlite
@pytest.mark.parametrize("state", ["ON", "OFF"])
def test_no_round_is_pushed_out_by_an_update_or_replace(evening: Evening, state: str) -> None:
    """Of a seat's rounds one is unfinished: a finished one that comes back would take its place."""
    copied = {
        field.attname: getattr(evening.maria.game_round, field.attname)
        for field in GameRound._meta.concrete_fields
        if field.attname not in ("id", "number", "state")
    }
    unused = GameRound.objects.create(**copied, number=10**6, state="unused")
    before = rows("tables_gameround")
    with recursive_triggers(state):
        with suppress(IntegrityError):
            run("UPDATE OR REPLACE tables_gameround SET state = 'betting' WHERE id = %s", [unused.pk])
        assert rows("tables_gameround") == before


def transfer_between(debit: Account, credit: Account, unit: str = Unit.EUR) -> Callable[[], object]:
    return lambda: Transfer.objects.create(
        debit=debit, credit=credit, amount_cents=100, unit=unit, reason=Reason.DEPOSIT, actor="system", created_at=NOON
    )


def not_joined(move: Callable[[], object], match: str) -> None:
    before = Transfer.objects.count()
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        move()
    assert Transfer.objects.count() == before


def test_a_transfer_joins_neither_two_units_nor_two_players_nor_an_account_with_itself(evening: Evening) -> None:
    maria, joao = evening.maria.wallet, evening.joao.wallet
    bank = operator_account(kind=AccountKind.BANK, unit=Unit.EUR)
    play_bank = operator_account(kind=AccountKind.BANK, unit=Unit.DEMO)
    play_wallet = open_wallet(player=evening.maria.game_session.player, unit=Unit.DEMO)
    joins = "joins two units or two players"
    not_joined(transfer_between(maria, joao), joins)
    not_joined(transfer_between(play_bank, maria), joins)
    not_joined(transfer_between(maria, play_wallet), joins)
    not_joined(transfer_between(bank, maria, unit=Unit.DEMO), joins)
    not_joined(transfer_between(play_bank, play_wallet, unit=Unit.EUR), joins)
    not_joined(transfer_between(maria, maria), "transfer_two_accounts")
    transfer_between(bank, maria)()
    transfer_between(play_bank, play_wallet, unit=Unit.DEMO)()


def test_one_wrong_transfer_among_many_of_one_statement_refuses_them_all(evening: Evening) -> None:
    maria, joao = evening.maria.wallet, evening.joao.wallet
    bank = operator_account(kind=AccountKind.BANK, unit=Unit.EUR)
    wanted = [
        Transfer(debit=a, credit=b, amount_cents=1, unit="EUR", reason=Reason.DEPOSIT, actor="x", created_at=NOON)
        for a, b in [(bank, maria), (bank, joao), (maria, joao), (bank, joao)]
    ]
    not_joined(lambda: Transfer.objects.bulk_create(wanted), "joins two units or two players")


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


def settle_constraints() -> None:
    """PostgreSQL lets nobody change a table that deferred constraints still look at."""
    if connection.vendor == "postgresql":
        run("SET CONSTRAINTS ALL IMMEDIATE")


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
        for table in guards.protected_tables():
            field = columns_of(table)[-1]
            changed = copy.copy(field)
            changed.null = not field.null
            pre_migrate.send(sender=common, **sent)
            try:
                with connection.schema_editor() as editor:
                    editor.alter_field(MODELS[table], field, changed)
            except DatabaseError as error:
                failed[table] = str(error)
            post_migrate.send(sender=common, **sent)
            assert guards.find_missing(connection) == []
    assert failed == {}
