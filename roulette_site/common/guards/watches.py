"""Which rows the database itself notes the changes of, and the triggers that do it, on both databases.

A change is noted in common_rowchange however it is made: by a service, in bulk, by raw SQL from another program. What
services do anyway under the audit trail carries the act's key there; anything else carries none, and `verify` reports
it. The hot paths, placing and settling, write no watched column: a transfer of the game is its own record, and `verify`
holds it to the bets of its round. Any other transfer has nothing but its entry to say why.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from . import sqlite
from .objects import DatabaseObject, Guard
from .postgresql import postgresql_function, postgresql_trigger

NOTES = "common_rowchange"

# Why the game moves money. Any other reason is somebody's act, and `wallets.services.ledger` records it.
GAME_REASONS = (
    "stake", "bet_taken_back", "stake_returned", "prize", "half_back", "stake_lost", "void_refund",
)  # fmt: skip


@dataclass(frozen=True)
class Watch:
    """The columns of one table whose changes are noted; personal data is never among them.

    Of the columns in `unsaid` a note says that they changed, and neither from what nor to what: they hold secrets, or
    who somebody is. `inserted` is SQL that says which new rows are noted (none where it is empty); `deleted` is off for
    tables of which a guard lets no row be deleted or replaced.
    """

    table: str
    columns: tuple[str, ...]
    unsaid: tuple[str, ...] = ()
    key: str = "id"
    inserted: str = ""
    deleted: bool = True

    @property
    def compared(self) -> tuple[str, ...]:
        """What makes two states of a row differ."""
        return tuple(dict.fromkeys((self.key, *self.columns, *self.unsaid)))


_ALL = "1 = 1"

WATCHES = (
    # Of a user the rights are noted; of what he logs in with, that it changed.
    Watch(
        "wallets_user",
        ("is_active", "is_staff", "is_superuser", "date_joined"),
        ("email", "full_name", "password"),
        inserted=_ALL,
    ),
    Watch("wallets_user_groups", ("user_id", "group_id"), inserted=_ALL),
    Watch("wallets_user_user_permissions", ("user_id", "permission_id"), inserted=_ALL),
    Watch("auth_group", ("name",)),
    Watch("auth_group_permissions", ("group_id", "permission_id"), inserted=_ALL),
    # What a permission lets somebody do is its model's app and its codename. A new one is nobody's; migrate makes them.
    Watch("auth_permission", ("codename", "content_type_id", "name")),
    Watch("django_content_type", ("app_label", "model")),
    # Staff may have given a handle that says who it is, and notes are kept for ever.
    Watch("wallets_player", ("kyc_state", "standing", "is_restricted"), ("handle",), inserted=_ALL, deleted=False),
    # By what a person is found on a register, in the registry and among doubles, and how he is written to.
    Watch(
        "wallets_person",
        ("user_id", "erased_at", "expiry_told_at"),
        ("birth_date", "document_type", "document_number_sealed", "document_hash", "document_country",
         "document_expires_on", "email_hash", "name_hash", "country", "language", "time_zone", "address"),
        inserted=_ALL,
        deleted=False,
    ),
    # To what he has agreed, what he was offered and told, and what was done about who he is.
    Watch("wallets_consent", ("user_id", "text", "version"), inserted=_ALL, deleted=False),
    Watch("wallets_limitsoffer", ("player_id", "occasion", "limits_set"), inserted=_ALL, deleted=False),
    Watch("wallets_inboxmessage", ("player_id", "kind"), inserted=_ALL, deleted=False),
    Watch("wallets_personact", ("user_id", "kind", "actor"), inserted=_ALL, deleted=False),
    Watch(
        "wallets_identitypaper",
        ("player_id", "media_type", "size_bytes", "checked_at", "removed_at"),
        ("stored_as",),
        inserted=_ALL,
        deleted=False,
    ),
    # Whose address is verified can log in; who has no second factor, if he is of the staff, sets up one of his own.
    Watch("account_emailaddress", ("user_id", "verified"), ("email",), inserted=_ALL),
    Watch("mfa_authenticator", ("user_id", "type"), ("data",), inserted=_ALL),
    # What protects a player. A looser limit or an early end that keeps every rule is still somebody's act.
    Watch("wallets_limit", ("player_id", "side", "kind", "period", "value"), inserted=_ALL, deleted=False),
    Watch("wallets_loosening", ("player_id", "kind", "period", "value"), inserted=_ALL, deleted=False),
    Watch("wallets_exclusion", ("player_id", "kind", "starts_at", "ends_at"), inserted=_ALL, deleted=False),
    Watch("wallets_exclusionend", ("ends_at",), key="exclusion_id", inserted=_ALL, deleted=False),
    Watch(
        "wallets_restrictedentry",
        ("kind", "starts_at", "ends_at", "ended_at", "end_actor", "end_second_actor"),
        ("document_hash", "email_hash", "end_reason"),
        inserted=_ALL,
        deleted=False,
    ),
    # Not the balance, which every bet moves, nor `unchecked_from`, which follows each answer of a register.
    Watch(
        "wallets_account",
        ("barred", "excluded_until", "stake_limit_cents", "loss_day_limit_cents", "loss_week_limit_cents",
         "loss_month_limit_cents"),
        deleted=False,
    ),
    Watch(
        "wallets_transfer",
        ("debit_id", "credit_id", "amount_cents", "unit", "reason", "corrects_id"),
        inserted=f"NEW.reason NOT IN ({', '.join(map(repr, GAME_REASONS))})",
        deleted=False,
    ),
    # Whoever adds a row here is paid out to it.
    Watch(
        "wallets_payoutaddress",
        ("player_id", "erased_at"),
        ("iban_sealed", "iban_hash", "masked"),
        inserted=_ALL,
        deleted=False,
    ),
    # Whoever puts the hash of a key of his own here calls with another's.
    Watch(
        "wallets_apikey",
        ("revoked", "scopes", "expiry_date", "name", "created"),
        ("hashed_key",),
        key="prefix",
        inserted=_ALL,
    ),
    # A step is what has become of money; a finding's, that somebody has explained it.
    Watch(
        "wallets_cashrequest",
        ("state", "provider_reference", "moved_id", "returned_id", "decided_at"),
        inserted=_ALL,
        deleted=False,
    ),
    Watch("wallets_cashstep", ("request_id", "from_state", "to_state", "actor"), inserted=_ALL, deleted=False),
    # A notice by hand would have the provider's own taken for told before.
    Watch(
        "wallets_providernotice",
        ("outcome", "kind", "request_id", "amount_cents", "unit", "verdict"),
        inserted=_ALL,
        deleted=False,
    ),
    Watch("wallets_findingstep", ("finding_id", "kind", "actor"), inserted=_ALL, deleted=False),
    # What one person has asked for, and another one need only approve.
    Watch("common_foureyesrequest", ("act", "maker", "state", "decider", "decided_at"), ("decision_reason",),
        inserted=_ALL, deleted=False),
    Watch(
        "common_operator",
        ("legal_name", "brand", "licence", "accent_colour", "felt_colour", "time_zone", "gaming_day_starts_at",
         "help_address", "complaint_address"),
        inserted=_ALL,
    ),
    # A draft says nothing yet; whatever comes into the table as more than that has passed by the approval.
    Watch(
        "tables_specificrules",
        ("status", "split_dozens_offered", "split_columns_offered", "call_bets", "total_limit_cents",
         "stake_step_cents", "launch_within_seconds", "approval_reference", "approved_at", "in_force_from"),
        inserted="NEW.status <> 'draft'",
        deleted=False,
    ),
    Watch("tables_publishedrules", ("rules_id", "sha256", "published_at"), inserted=_ALL, deleted=False),
    # Not the counters, which every round moves.
    Watch("tables_table", ("name", "rules_id", "minimum_cents", "state"), inserted=_ALL, deleted=False),
)  # fmt: skip


def objects_of(connection: BaseDatabaseWrapper, columns: Mapping[str, set[str]]) -> Iterator[DatabaseObject]:
    """The triggers of every watch whose table is there, for the columns that it has at this state of its migrations."""
    if NOTES not in columns:
        return
    for watch in WATCHES:
        if watch.table not in columns:
            continue
        there = columns[watch.table]
        fitting = replace(
            watch,
            columns=tuple(name for name in watch.columns if name in there),
            unsaid=tuple(name for name in watch.unsaid if name in there),
        )
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                yield from _of_sqlite(cursor, fitting)
        else:
            yield from _of_postgresql(fitting)


def _changed(watch: Watch, differs: str) -> str:
    return " OR ".join(f"NEW.{name} {differs} OLD.{name}" for name in watch.compared)


def _of_postgresql(watch: Watch) -> Iterator[DatabaseObject]:
    table, function = watch.table, f"{watch.table}_note"
    names = ", ".join(f"'{name}'" for name in (*watch.columns, *watch.unsaid))
    pair = "jsonb_build_array(r.old -> c, r.new -> c)"
    if watch.unsaid:
        unsaid = ", ".join(f"'{name}'" for name in watch.unsaid)
        pair = f"CASE WHEN c IN ({unsaid}) THEN '[]'::jsonb ELSE {pair} END"
    yield postgresql_function(
        function,
        "() RETURNS trigger",
        f"""
BEGIN
  INSERT INTO {NOTES} (at, table_name, row_key, operation, columns, act_key)
  SELECT clock_timestamp(), '{table}', coalesce(r.old ->> '{watch.key}', r.new ->> '{watch.key}', ''), lower(TG_OP),
    coalesce(
      (SELECT jsonb_object_agg(c, {pair}) FROM unnest(ARRAY[{names}]) AS c
       WHERE (r.old -> c) IS DISTINCT FROM (r.new -> c)),
      '{{}}'::jsonb
    ),
    coalesce(current_setting('audit.act_key', true), '')
  FROM (SELECT to_jsonb(OLD) AS old, to_jsonb(NEW) AS new) AS r;
  RETURN NULL;
END""",
    )
    columns = ", ".join(watch.compared)
    condition = _changed(watch, "IS DISTINCT FROM")
    yield postgresql_trigger(
        f"{table}_note_update", table, f"AFTER UPDATE OF {columns}", f"FOR EACH ROW WHEN ({condition})", function
    )
    if watch.inserted:
        yield postgresql_trigger(
            f"{table}_note_insert", table, "AFTER INSERT", f"FOR EACH ROW WHEN ({watch.inserted})", function
        )
    if watch.deleted:
        yield postgresql_trigger(f"{table}_note_delete", table, "AFTER DELETE", "FOR EACH ROW", function)
        yield postgresql_trigger(f"{table}_note_truncate", table, "AFTER TRUNCATE", "FOR EACH STATEMENT", function)


def _of_sqlite(cursor: Any, watch: Watch) -> Iterator[DatabaseObject]:
    table = watch.table
    columns = ", ".join(watch.compared)
    yield _sqlite_trigger(watch, "update", f"AFTER UPDATE OF {columns}", _changed(watch, "IS NOT"), "OLD", "NEW")
    if watch.inserted:
        yield _sqlite_trigger(watch, "insert", "AFTER INSERT", watch.inserted, "", "NEW")
    if watch.deleted:
        yield _sqlite_trigger(watch, "delete", "AFTER DELETE", "", "OLD", "")
        # REPLACE, and UPDATE OR REPLACE, push out a row without a delete trigger where recursive_triggers is off, as in
        # the sqlite3 shell. Who is about to be pushed out is noted before.
        keys = sqlite.unique_keys(cursor, Guard(table))
        pushed_out = " OR ".join(f"({_same(key)})" for key in keys)
        differs = " OR ".join(f"o.{name} IS NOT NEW.{name}" for name in watch.compared)
        yield _sqlite_replaced(watch, "replace", "INSERT", f"({pushed_out}) AND ({differs})")
        yield _sqlite_replaced(watch, "push_out", "UPDATE", f"({pushed_out}) AND o.rowid <> OLD.rowid")


_QUOTED = re.compile(r'"(\w+)"')


def _same(key: tuple[tuple[str, ...], str]) -> str:
    """SQL that says whether row `o` holds the unique key that the new row has; an expression is a key as well."""
    expressions, condition = key
    parts = [f"{_column_of('o', one)} = {_column_of('NEW', one)}" for one in expressions]
    if condition:
        parts += [_column_of("o", condition), _column_of("NEW", condition)]
    return " AND ".join(parts)


def _column_of(row: str, expression: str) -> str:
    return _QUOTED.sub(rf'{row}."\1"', expression)


def _note(watch: Watch, operation: str, old: str, new: str, source: str = "") -> str:
    """SQL that inserts a note; `old` and `new` name the rows that it compares, and may be empty for no row."""

    def value(row: str, name: str) -> str:
        return f"{row}.{name}" if row else "NULL"

    both = " UNION ALL ".join(
        f"SELECT '{name}' AS name, {value(old, name)} AS old, {value(new, name)} AS new"
        for name in (*watch.columns, *watch.unsaid)
    )
    pair = "json_array(old, new)"
    if watch.unsaid:
        unsaid = ", ".join(f"'{name}'" for name in watch.unsaid)
        pair = f"json(CASE WHEN name IN ({unsaid}) THEN '[]' ELSE {pair} END)"
    return f"""  INSERT INTO {NOTES} (at, table_name, row_key, operation, columns, act_key)
  SELECT strftime('%Y-%m-%d %H:%M:%f', 'now'), '{watch.table}', {old or new}.{watch.key}, '{operation}',
    (SELECT json_group_object(name, {pair}) FROM ({both}) WHERE old IS NOT new),
    coalesce((SELECT act_key FROM common_actinhand), ''){source};"""


def _sqlite_trigger(watch: Watch, name: str, when: str, condition: str, old: str, new: str) -> DatabaseObject:
    guarded = f"\nWHEN {condition}" if condition else ""
    return _sqlite_object(watch, name, f"{when} ON {watch.table}{guarded}", _note(watch, name, old, new))


def _sqlite_replaced(watch: Watch, name: str, act: str, condition: str) -> DatabaseObject:
    source = f"\n  FROM {watch.table} o WHERE {condition}"
    return _sqlite_object(watch, name, f"BEFORE {act} ON {watch.table}\n", _note(watch, "replace", "o", "NEW", source))


def _sqlite_object(watch: Watch, name: str, head: str, body: str) -> DatabaseObject:
    trigger = f"{watch.table}_note_{name}"
    return DatabaseObject(
        name=trigger,
        table=watch.table,
        create=f"CREATE TRIGGER {trigger} {head.rstrip()}\nBEGIN\n{body}\nEND",
        drop=f"DROP TRIGGER IF EXISTS {trigger}",
    )
