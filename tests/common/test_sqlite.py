"""SQLite is set up for money: what the settings ask for is what every connection has (docs/decisions/0002)."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def fresh() -> Iterator[BaseDatabaseWrapper]:
    """A connection that was just opened, as a process that starts has it."""
    with closing(connection.copy()) as opened:
        yield opened


def test_the_settings_ask_for_every_pragma_that_the_money_needs() -> None:
    options = settings.DATABASES["default"]["OPTIONS"]
    # Django turns foreign keys on by itself as well, so that a connection alone would not show this one missing.
    assert options["init_command"].split("; ") == [
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=FULL",
        "PRAGMA foreign_keys=ON",
        "PRAGMA recursive_triggers=ON",
    ]
    assert (options["transaction_mode"], options["timeout"]) == ("IMMEDIATE", 20)


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("recursive_triggers", 1),
        ("busy_timeout", 20_000),
    ],
)  # fmt: skip
def test_every_connection_is_opened_with_it(fresh: BaseDatabaseWrapper, pragma: str, value: object) -> None:
    with fresh.cursor() as cursor:
        cursor.execute(f"PRAGMA {pragma}")
        assert cursor.fetchone() == (value,)


def test_a_transaction_takes_the_write_lock_when_it_begins(fresh: BaseDatabaseWrapper) -> None:
    with fresh.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 0")
        with transaction.atomic(), pytest.raises(OperationalError, match="database is locked"):
            cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("ROLLBACK")
