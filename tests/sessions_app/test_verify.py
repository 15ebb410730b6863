"""`manage.py verify`: clean after an evening, and for each of its checks a tampering that this check finds."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from roulette_site.common import guards
from roulette_site.common.sql import one_snapshot
from sessions_app.management.commands.verify import CHECKS
from tests.conftest import _url_of_test_database
from tests.house import House, make_evening, make_house
from wallets.models import Account

from .tampering import run_tampering, said

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def evening() -> House:
    """An evening at one table, beside a table and a player that had nothing to do with it."""
    house = make_evening()
    make_house().player()
    return house


@pytest.fixture
def tamper() -> Iterator[Callable[..., None]]:
    yield run_tampering
    guards.install(connection)


@contextmanager
def references_off() -> Iterator[None]:
    """Let the database forget its references, as a program with the owner's rights can."""
    is_sqlite = connection.vendor == "sqlite"
    off, on = (
        ("PRAGMA foreign_keys=OFF", "PRAGMA foreign_keys=ON")
        if is_sqlite
        else ("SET session_replication_role = replica", "SET session_replication_role = DEFAULT")
    )
    with connection.cursor() as cursor:
        cursor.execute(off)
        try:
            yield
        finally:
            cursor.execute(on)


def test_an_honest_evening_is_clean(evening: House) -> None:
    text = said()
    assert "NOT CLEAN" not in text
    for check in CHECKS:
        assert f"ok      {check.name}" in text


def test_a_guard_that_was_dropped_is_found(evening: House) -> None:
    with connection.cursor() as cursor:
        table = " ON wallets_transfer" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER wallets_transfer_no_update{table}")
    assert "DIFFERS guards" in said("guards")
    guards.install(connection)
    assert "NOT CLEAN" not in said()


def test_a_trigger_of_somebody_elses_is_found(evening: House) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("CREATE TRIGGER gift AFTER INSERT ON tables_bet EXECUTE FUNCTION tables_bet_refuse()")
        else:
            cursor.execute("CREATE TRIGGER gift AFTER INSERT ON tables_bet BEGIN SELECT 1; END")
    text = said("guards")
    assert "DIFFERS guards" in text
    assert "the trigger gift was laid by somebody else" in text
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER gift" + " ON tables_bet" * (connection.vendor == "postgresql"))


def test_a_check_that_breaks_off_says_so_and_the_others_go_on(evening: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM no_such_table")
        yield "never"

    first, second, *others = CHECKS
    checks = (first, dataclasses.replace(second, find=broken), *others)
    monkeypatch.setattr("sessions_app.management.commands.verify.CHECKS", checks)
    text = said()
    assert f"DIFFERS {second.name}" in text
    assert "the check broke off: " in text
    assert text.count("\nok ") == len(others)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM wallets_user",
        "DELETE FROM wallets_player",
        "DELETE FROM wallets_account WHERE kind = 'wallet'",
        "DELETE FROM tables_seat",
        "DELETE FROM tables_table",
        "DELETE FROM tables_specificrules",
        "UPDATE tables_gameround SET rules_id = 999999",
    ],
)
def test_a_row_that_others_point_at_cannot_go_unseen(
    evening: House, tamper: Callable[..., None], statement: str
) -> None:
    """The other checks join tables, and say nothing of what such a row took out of their sight."""
    with references_off():
        tamper(statement)
    text = said("references")
    assert "DIFFERS references" in text
    assert "has no such row" in text
    assert "NOT CLEAN" in said()


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(CommandError, match="no check nonsense"):
        call_command("verify", "nonsense")


def test_it_reads_one_snapshot_and_blocks_nobody(evening: House) -> None:
    other = connection.copy()
    try:
        with one_snapshot():
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM wallets_player")
                (before,) = cursor.fetchone()
            with other.cursor() as cursor:
                cursor.execute("UPDATE wallets_user SET full_name = 'written meanwhile'")
                assert cursor.rowcount
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM wallets_user WHERE full_name = 'written meanwhile'")
                assert cursor.fetchone() == (0,)
        assert before
    finally:
        other.close()


def test_rows_written_while_a_check_reads_neither_wait_nor_count(evening: House, tamper: Callable[..., None]) -> None:
    tamper("UPDATE wallets_account SET balance_cents = balance_cents + 1 WHERE kind = 'wallet'")
    wallets = Account.objects.filter(kind="wallet").count()
    check = next(check for check in CHECKS if check.name == "balances")
    other = connection.copy()
    try:
        with one_snapshot():
            found = check.find()
            first = next(found)
            with other.cursor() as cursor:
                cursor.execute("UPDATE wallets_account SET balance_cents = balance_cents - 1 WHERE kind = 'wallet'")
                assert cursor.rowcount == wallets
            assert len({first, *found}) == wallets
        assert "NOT CLEAN" not in said("balances")
    finally:
        other.close()


def test_the_command_ends_with_status_1_where_the_books_are_wrong(evening: House, tamper: Callable[..., None]) -> None:
    def verify(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "verify", *arguments],
            cwd=settings.BASE_DIR,
            env={**os.environ, "DATABASE_URL": _url_of_test_database()},
            capture_output=True,
            text=True,
        )

    clean = verify()
    assert (clean.returncode, clean.stderr) == (0, "")
    assert clean.stdout.endswith("The books are right.\n")
    tamper("UPDATE wallets_account SET balance_cents = balance_cents + 1 WHERE kind = 'wallet'")
    wrong = verify()
    assert wrong.returncode == 1
    assert "DIFFERS balances" in wrong.stdout
    assert wrong.stdout.count("DIFFERS") == 1
    assert wrong.stderr.strip() == "CommandError: Checks that found differences: 1."
    assert "the balance is" in wrong.stdout
    assert verify("draws", "flows").returncode == 0
    assert verify("nonsense").returncode == 1
