"""What the database itself refuses: the one list of guarded tables, and the installer of their triggers.

Two kinds of table are guarded. An append-only one takes INSERT and nothing else. Of a guarded one some columns are
frozen (fixed at INSERT) or write-once (NULL, then fixed), and no row is deleted. Triggers hold both on SQLite and on
PostgreSQL, so that raw SQL and bulk writes are refused as well.

`install` runs after every migrate and may run any time: on SQLite a later ALTER TABLE rebuilds the table and loses its
triggers in silence. `find_missing` compares what stands with what ought to stand; `verify`, /readyz and a system check
use it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from . import postgresql, sqlite, watches
from .objects import DatabaseObject, Guard
from .postgresql import postgresql_function, postgresql_trigger

__all__ = (
    "GUARDS",
    "DatabaseObject",
    "Guard",
    "find_foreign",
    "find_missing",
    "install",
    "lift",
    "postgresql_function",
    "postgresql_trigger",
    "protected_tables",
    "register",
    "uninstall",
)

GUARDS = (
    Guard("common_auditentry"),
    Guard("common_auditseal", key="entry_id"),
    Guard("common_bookseal", key="sequence"),
    Guard("common_rowchange"),
    # roulette_site/common/guards/requests.py says which states follow which.
    Guard(
        "common_foureyesrequest",
        frozen=("id", "act", "arguments", "maker", "reason", "evidence", "made_at", "expires_at"),
        write_once=("decider", "decision_reason", "decided_at"),
    ),
    Guard("wallets_transfer"),
    Guard("wallets_account", frozen=("id", "kind", "unit", "player_id")),
    Guard("wallets_player", frozen=("id", "user_id", "created_at", "time_zone", "is_test")),
    Guard("wallets_playerday", frozen=("id", "account_id", "day")),
    Guard("wallets_standingchange"),
    Guard("wallets_limit"),
    Guard("wallets_limitsoffer"),
    Guard("wallets_loosening"),
    Guard("wallets_exclusion"),
    Guard("wallets_inboxmessage"),
    Guard("wallets_inboxreading", key="message_id"),
    Guard("wallets_inboxmail", frozen=("message_id", "begun_at"), write_once=("sent_at",), key="message_id"),
    Guard("wallets_exclusionend", key="exclusion_id"),
    Guard("wallets_registercheck"),
    # The hashes are blanked in the end, which wallets/guards.py lets happen to who is barred no more.
    Guard(
        "wallets_restrictedentry",
        frozen=("id", "kind", "reason", "starts_at", "ends_at", "actor", "entered_at"),
        write_once=("ended_at", "end_actor", "end_second_actor", "end_reason"),
    ),
    Guard(
        "wallets_cashrequest",
        frozen=(
            "id", "kind", "account_id", "amount_cents", "unit", "provider", "idempotency_key", "held_id",
            "payout_address_id", "payout_to", "refund_of_id", "created_by", "created_at",
        ),
        write_once=("provider_reference", "moved_id", "returned_id", "decided_at"),
    ),
    Guard("wallets_cashstep"),
    Guard("wallets_providernotice"),
    Guard("wallets_finding"),
    Guard("wallets_findingstep"),
    Guard("wallets_accountsnapshot"),
    Guard("wallets_decidedtransfer", key="transfer_id"),
    Guard("wallets_person", frozen=("id", "user_id", "created_at"), write_once=("erased_at",)),
    Guard(
        "wallets_identitypaper",
        frozen=("id", "player_id", "media_type", "size_bytes", "sent_at"),
        write_once=("checked_at", "removed_at"),
    ),
    Guard("wallets_payoutaddress", frozen=("id", "player_id", "set_at"), write_once=("erased_at",)),
    Guard("wallets_consent"),
    Guard("wallets_personact"),
    Guard("tables_specificrules", frozen=("id", "rulebook_code", "rulebook_edition", "version", "created_at")),
    Guard("tables_publishedrules"),
    Guard("tables_rulestelling"),
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
    Guard("sessions_app_realitycheck"),
    Guard(
        "sessions_app_gamesession",
        frozen=("id", "seat_id", "player_id", "started_at"),
        write_once=("ended_at", "end_basis"),
    ),
)  # fmt: skip

# While guards change play waits so long at most, and so often.
LOCK_TIMEOUT_MS = 250
LOCK_TRIES = 120

_registered: list[tuple[str, DatabaseObject]] = []


def register(vendor: str, *objects: DatabaseObject) -> None:
    """Add an app's own triggers and functions to what `install` lays; called from AppConfig.ready."""
    for one in objects:
        if (vendor, one) not in _registered:
            _registered.append((vendor, one))


def install(connection: BaseDatabaseWrapper) -> None:
    """Lay every guard that does not stand as it ought to; tables that are not made yet are passed over.

    What stands is left alone: every start of the site migrates, and play goes on meanwhile.
    """
    missing = _missing(connection)

    def lay(cursor: Any) -> None:
        for one in missing:
            if one.table:
                cursor.execute(one.drop)
            # A function is replaced: dropping it would take the triggers along that call it.
            cursor.execute(one.create)
            if connection.vendor == "postgresql":
                postgresql.mark(cursor, one)

    _change(connection, missing, lay)


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Take the guards away, functions as well. Nothing in the running system does; tests look at what is found then."""
    with connection.cursor() as cursor:
        for one in reversed(list(_expected(connection))):
            cursor.execute(one.drop)


def lift(connection: BaseDatabaseWrapper) -> None:
    """Take the triggers away, and leave the functions that other processes call; `install` lays all again."""
    triggers = [one for one in _expected(connection) if one.table]

    def drop(cursor: Any) -> None:
        for one in reversed(triggers):
            cursor.execute(one.drop)

    _change(connection, triggers, drop)


def _change(connection: BaseDatabaseWrapper, objects: Sequence[DatabaseObject], work: Callable[[Any], None]) -> None:
    """Do the work in one transaction, so that no moment is unguarded while others write."""
    if not objects:
        return
    if connection.vendor == "sqlite" or connection.in_atomic_block:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            work(cursor)
        return
    tables = sorted({one.table for one in objects if one.table})
    for tries_left in reversed(range(LOCK_TRIES)):
        try:
            with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
                # All tables first, and giving up sooner than the database looks for a deadlock (after a second): it
                # is this that waits and tries again, never a bet that is broken off.
                cursor.execute(f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}")
                if tables:
                    cursor.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
                work(cursor)
            return
        except OperationalError:
            if not tries_left:
                raise
            time.sleep(LOCK_TIMEOUT_MS / 1000)


def find_missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Name each guard that does not stand exactly as it was laid."""
    return [one.name for one in _missing(connection)]


def find_foreign(connection: BaseDatabaseWrapper) -> list[str]:
    """Name each trigger of the database that nobody here has laid."""
    with connection.cursor() as cursor:
        names = _backend(connection).names_of_triggers(cursor)
    return sorted(names - {one.name for one in _expected(connection)})


def _missing(connection: BaseDatabaseWrapper) -> list[DatabaseObject]:
    """What does not stand as it ought to; what stands is read once, however much there is."""
    with connection.cursor() as cursor:
        found = _backend(connection).what_stands(cursor)
    return [one for one in _expected(connection) if not _backend(connection).stands(found, one)]


def _expected(connection: BaseDatabaseWrapper) -> Iterator[DatabaseObject]:
    with connection.cursor() as cursor:
        columns = _backend(connection).columns_of_tables(cursor)
    for guard in GUARDS:
        if guard.table in columns:
            yield from _guard_as_it_can_be(connection, guard, columns[guard.table])
    for vendor, one in _registered:
        if vendor == connection.vendor and (not one.table or one.table in columns):
            yield one
    yield from watches.objects_of(connection, columns)


def _guard_as_it_can_be(connection: BaseDatabaseWrapper, guard: Guard, columns: set[str]) -> Iterator[DatabaseObject]:
    """The guard's triggers for the columns and unique keys that the table has at this state of its migrations."""
    if not guard.append_only:
        guard = replace(
            guard,
            frozen=tuple(name for name in guard.frozen if name in columns),
            write_once=tuple(name for name in guard.write_once if name in columns),
        )
    with connection.cursor() as cursor:
        yield from sqlite.triggers_of(cursor, guard) if connection.vendor == "sqlite" else postgresql.triggers_of(guard)


def _backend(connection: BaseDatabaseWrapper) -> Any:
    return sqlite if connection.vendor == "sqlite" else postgresql


def protected_tables() -> Iterable[str]:
    """The names of all guarded tables."""
    return [guard.table for guard in GUARDS]
