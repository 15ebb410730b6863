"""Whatever column of people, money, rules or the game is changed behind the system's back in one row: verify finds it.

The sealed books find it in any row that is noted or over; for the few columns that go on changing, another check does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models, transaction
from django.db.models import QuerySet

from roulette_site.common import book_seals
from roulette_site.common.guards import GUARDS
from roulette_site.common.guards.watches import WATCHES
from roulette_site.common.models import BookSeal, RowChange
from tests.common.guarded import OUR_APPS, other, rolled_back
from tests.house import House, make_evening
from tests.unguarded import unguarded

from .tampering import said

pytestmark = pytest.mark.django_db

MODELS = {one._meta.db_table: one for one in apps.get_models(include_auto_created=True)}
WATCHED = {watch.table for watch in WATCHES}
SEALED = {table for kind in book_seals.kinds() for table in kind.tables}
# The trail has checks of its own (tests/common/test_audit.py), and so has the chain of the books.
CHAINS = {"common_auditentry", "common_auditseal", "common_bookseal"}
# What changes all the time and by no act of anybody: by each column the check that holds it to other rows.
MOVING = {
    ("wallets_account", "balance_cents"): "balances",
    **{
        ("wallets_account", name): "gates"
        for name in (
            "unchecked_from",
            "barred",
            "excluded_until",
            "stake_limit_cents",
            "loss_day_limit_cents",
            "loss_week_limit_cents",
            "loss_month_limit_cents",
        )
    },
    ("wallets_playerday", "id"): None,
    ("wallets_playerday", "account_id"): "player_days",
    ("wallets_playerday", "day"): "player_days",
    ("wallets_playerday", "deposited_cents"): "player_days",
    ("wallets_playerday", "staked_cents"): "player_days",
    ("wallets_playerday", "returned_cents"): "player_days",
    ("tables_table", "last_round_number"): "round_numbers",
    ("tables_table", "last_event_sequence"): "events",
    # When somebody logged in last, when a second factor was made and used, a key's number in its list.
    ("wallets_user", "last_login"): None,
    ("mfa_authenticator", "created_at"): None,
    ("mfa_authenticator", "last_used_at"): None,
    ("account_emailaddress", "primary"): None,
    ("wallets_apikey", "id"): None,
    # Of a right that no role has, or the references to it lead nowhere.
    ("auth_permission", "id"): None,
}
# What migrate makes is held to the models that name it.
OF_MIGRATE = {"auth_group", "auth_permission", "django_content_type"}
# Of what goes out and who came in, nothing of which decides about people or money.
LOGS = {"wallets_inboxmail", "wallets_loginrecord", "common_actinhand"}


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[House]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_evening()
        transaction.set_rollback(True)


@pytest.fixture
def evening(played: House, db: None) -> House:
    return played


def test_every_table_of_ours_is_held_by_something() -> None:
    ours = {one._meta.db_table for app in OUR_APPS for one in apps.get_app_config(app).get_models()}
    assert ours - WATCHED - SEALED - CHAINS - LOGS - {"wallets_playerday"} == set()
    assert {guard.table for guard in GUARDS if guard.append_only} <= WATCHED | SEALED | CHAINS


TABLES = sorted(WATCHED | SEALED | {"wallets_playerday"})


@pytest.mark.sqlite
@pytest.mark.parametrize("table", TABLES)
def test_another_value_in_any_column_is_found(evening: House, table: str) -> None:
    """By a check of its own, or because what was sealed of its row or round comes to another digest."""
    model = MODELS[table]
    row = _rows(table).values().first()
    assert row or table in EMPTY, f"the evening left no row in {table}"
    sealed = _digests(table)
    missed = []
    for field in model._meta.concrete_fields if row else ():
        check = MOVING.get((table, field.column), _check_of(table))
        if check is None:
            continue
        with _changed(field, row):
            is_found = _digests(table) != sealed if check == "books" else f"DIFFERS {check}" in said(check)
        if not is_found:
            missed.append(field.column)
    assert missed == []


def _digests(table: str) -> list[dict[int, str]]:
    """What the seals that a row of the table is under would say now."""
    found = [
        kind.digests(BookSeal.objects.filter(kind=kind.kind).values_list("subject_id", flat=True))
        for kind in book_seals.kinds()
        if table in kind.tables
    ]
    notes = RowChange.objects.filter(table_name=table).values_list("pk", flat=True)
    return [*found, book_seals.changed_rows(notes)]


@contextmanager
def _changed(field: models.Field, row: dict[str, Any]) -> Iterator[None]:
    """Another value in that column of that row alone, behind the back of guards and constraints."""
    key = field.model._meta.pk
    with rolled_back(), connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        try:
            with unguarded(cursor, [field.model._meta.db_table]):
                cursor.execute(
                    f'UPDATE {field.model._meta.db_table} SET "{field.column}" = %s WHERE "{key.column}" = %s',
                    [other(field, row[field.attname]), key.get_db_prep_value(row[key.attname], connection)],
                )
                assert cursor.rowcount == 1
        finally:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")
        yield


# What the evening leaves no row of; how it is noted, tests/common/test_row_changes.py shows.
EMPTY = {
    "account_emailaddress", "mfa_authenticator", "wallets_user_groups", "wallets_user_user_permissions", "wallets_apikey",
}  # fmt: skip


NOTED = {watch.table: watch for watch in WATCHES if watch.inserted}


@pytest.mark.sqlite
@pytest.mark.parametrize("table", sorted(NOTED))
def test_a_row_of_whose_coming_nothing_tells_is_found(evening: House, table: str) -> None:
    """Rows that were put in while the triggers were away have no note, whatever else they fit to."""
    if table in EMPTY:
        return
    keys = list(_rows(table).values_list(NOTED[table].key, flat=True))
    with rolled_back(), connection.cursor() as cursor:
        with unguarded(cursor, [RowChange._meta.db_table]):
            cursor.execute("DELETE FROM common_rowchange WHERE table_name = %s", [table])
        found = said("noted")
    assert any(f"{table} {key} is there, and nothing says that it came" in found for key in keys)


def _rows(table: str) -> QuerySet[Any]:
    rows = MODELS[table]._default_manager.order_by("pk")
    # The wallets, which have most to say.
    return rows.filter(kind="wallet", unit="EUR") if table == "wallets_account" else rows


def _check_of(table: str) -> str:
    if table == "wallets_playerday":
        return "player_days"
    return "rights" if table in OF_MIGRATE else "books"


@pytest.mark.sqlite
@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_is_taken_away_is_found(evening: House, table: str) -> None:
    if table in EMPTY:
        return
    key = MODELS[table]._meta.pk
    pk = _rows(table).values_list("pk", flat=True)[0]
    check = _check_of(table)
    with rolled_back(), connection.cursor() as cursor:
        with unguarded(cursor, [table]):
            cursor.execute(f'DELETE FROM {table} WHERE "{key.column}" = %s', [key.get_db_prep_value(pk, connection)])
            assert cursor.rowcount == 1
        assert f"DIFFERS {check}" in said(check)
