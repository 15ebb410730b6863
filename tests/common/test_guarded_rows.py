"""What the database refuses to do to rows that stand, whoever asks it: by raw SQL, in bulk, by REPLACE.

Nothing that is tried here leaves a trace, so one evening is played for all of it.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction

from roulette_site.common.guards import Guard
from tables.models import GameRound, Seat
from tests.house import NOON
from wallets.models import Account, AccountKind, Reason, Transfer, Unit
from wallets.services.ledger import open_wallet, operator_account

from .guarded import (
    MODELS,
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
    rows,
    run,
    settle_constraints,
    with_columns,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[Evening]:
    with django_db_blocker.unblock(), transaction.atomic():
        evening = play_an_evening()
        settle_constraints()
        if connection.vendor == "postgresql":
            run("SET CONSTRAINTS ALL DEFERRED")
        yield evening
        transaction.set_rollback(True)


@pytest.fixture
def evening(played: Evening, db: None) -> Evening:
    return played


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
