"""What every test of the guards needs: the tables, a row in each, and ways to try what is refused."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from roulette_site.common.guards import GUARDS
from tests.house import NOON, PlayerAtTable, make_evening

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
        "unchecked_from",
        "stake_limit_cents",
        "loss_day_limit_cents",
        "loss_week_limit_cents",
        "loss_month_limit_cents",
    },
    "wallets_player": {"handle", "kyc_state", "standing", "is_restricted"},
    "wallets_playerday": {"deposited_cents", "staked_cents", "returned_cents"},
    # Blanked, once the entry has ended (wallets/guards.py).
    "wallets_restrictedentry": {"document_hash", "email_hash"},
    # Which state may follow which, wallets/guards.py says.
    "wallets_cashrequest": {"state"},
    "wallets_payoutaddress": {"iban_sealed", "iban_hash", "masked"},
    "wallets_person": {
        "birth_date",
        "country",
        "language",
        "time_zone",
        "address",
        "document_type",
        "document_number_sealed",
        "document_hash",
        "document_country",
        "document_expires_on",
        "expiry_told_at",
        "email_hash",
        "name_hash",
    },
    # Blank once the file is gone, which a CHECK holds to `removed_at`.
    "wallets_identitypaper": {"stored_as"},
    "wallets_inboxmail": set(),
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
        case models.TimeField():
            changed = dt.time(3, 33)
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


def settle_constraints() -> None:
    """PostgreSQL lets nobody change a table that deferred constraints still look at."""
    if connection.vendor == "postgresql":
        run("SET CONSTRAINTS ALL IMMEDIATE")


def cannot_be_emptied(table: str) -> None:
    for cascade in ("", " CASCADE"):
        before = rows(table)
        # Where rows of another table point here, PostgreSQL itself refuses without CASCADE.
        own_refusal = f"^{table}: TRUNCATE refused" + ("|^cannot truncate a table referenced" * (not cascade))
        with pytest.raises(Exception, match=own_refusal) as raised:
            run(f"TRUNCATE {table}{cascade}")
        assert raised.type.__module__ == "django.db.utils"
        assert rows(table) == before


@contextmanager
def recursive_triggers(state: str) -> Iterator[None]:
    """Set it on this connection; what was done inside is undone."""
    run(f"PRAGMA recursive_triggers = {state}")
    try:
        with rolled_back():
            yield
    finally:
        run("PRAGMA recursive_triggers = ON")
