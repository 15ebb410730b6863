"""Snapshots of the operator's accounts, one for each account and gaming day."""

import datetime as dt
import time
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, connection, transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.gaming_day import GamingDayRule
from roulette_site.common.sql import breaks_unique_key, instant
from wallets.models import AccountSnapshot, Transfer

# So long after a day's end its last transfers are sure to have been begun.
SETTLING = dt.timedelta(minutes=10)
# So long the maker waits for transactions that were open when he looked.
WAIT_SECONDS = 5.0


class DayNotOver(RuleBroken):
    """A snapshot is of a gaming day that is over, and a little more."""

    code = "day_not_over"


class TransfersStillOpen(RuleBroken):
    """Somebody has been moving money since before the look at the day's end; the next try will find him done."""

    code = "transfers_still_open"


class DayOutOfOrder(RuleBroken):
    """A day's snapshot is folded on that of the day before: days are made one after the other."""

    code = "day_out_of_order"


# The last transfer of the day is the one before the first that was made after its end: everything that is read here
# lies behind the day before, in the order of ids, and is read up to that one.
_FIRST_AFTER = "SELECT id FROM wallets_transfer WHERE id > %s AND created_at >= %s ORDER BY id LIMIT 1"
_LAST_BEFORE = "SELECT max(id) FROM wallets_transfer WHERE id < %s"
_LAST = "SELECT max(id) FROM wallets_transfer"

_FOLD = """
INSERT INTO wallets_accountsnapshot (account_id, gaming_day, balance_cents, last_transfer_id, made_at)
SELECT a.id, %(day)s, COALESCE(p.balance_cents, 0) + COALESCE(m.moved, 0), %(last)s, %(at)s
FROM wallets_account a
LEFT JOIN wallets_accountsnapshot p ON p.account_id = a.id AND p.gaming_day = %(before)s
LEFT JOIN (
  SELECT account_id, sum(amount) AS moved FROM (
    SELECT credit_id AS account_id, amount_cents AS amount FROM wallets_transfer WHERE id > %(after)s AND id <= %(last)s
    UNION ALL
    SELECT debit_id, -amount_cents FROM wallets_transfer WHERE id > %(after)s AND id <= %(last)s
  ) AS sides GROUP BY account_id
) m ON m.account_id = a.id
WHERE a.balance_cents IS NULL AND (p.id IS NOT NULL OR m.account_id IS NOT NULL)
ORDER BY a.id
"""

# Transactions of others that have written transfers, or are about to: the lock is taken before an id is.
_WRITERS = """
SELECT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = 'wallets_transfer'::regclass AND mode = 'RowExclusiveLock' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND pid IS DISTINCT FROM pg_backend_pid()
"""


def snapshot_missing_days(*, rule: GamingDayRule, at: dt.datetime) -> Sequence[dt.date]:
    """Make the snapshots of every gaming day that is over and has none, in order; returns those days.

    Safe to run at any time and twice at once. Raises TransfersStillOpen.
    """
    made: list[dt.date] = []
    last = AccountSnapshot.objects.order_by("-gaming_day").values_list("gaming_day", flat=True).first()
    if last is not None:
        day = last + dt.timedelta(days=1)
    elif (first := Transfer.objects.order_by("id").values_list("created_at", flat=True).first()) is not None:
        day = rule.day_of(first)
    else:
        return made
    while rule.bounds_of(day)[1] + SETTLING <= at:
        if snapshot_gaming_day(day=day, rule=rule, at=at):
            made.append(day)
        day += dt.timedelta(days=1)
    return made


def snapshot_gaming_day(*, day: dt.date, rule: GamingDayRule, at: dt.datetime) -> int:
    """Make one snapshot of each of the operator's accounts for a day that is over; returns how many were made.

    A day that has its snapshots is left as it is. Raises DayNotOver, DayOutOfOrder and TransfersStillOpen.
    """
    end = rule.bounds_of(day)[1]
    if end + SETTLING > at:
        raise DayNotOver(f"The gaming day {day} is not over yet.")
    before = AccountSnapshot.objects.order_by("-gaming_day").values_list("gaming_day", "last_transfer_id").first()
    if before is not None and before[0] >= day:
        if AccountSnapshot.objects.filter(gaming_day=day).exists():
            return 0
        raise DayOutOfOrder(f"There are snapshots of {before[0]} already, and none of {day}.")
    if before is not None and before[0] != day - dt.timedelta(days=1):
        raise DayOutOfOrder(f"The last snapshots are of {before[0]}: the days between come first.")
    before_day, after = before or (None, 0)
    last = _last_transfer_of_day(after=after, end=end)
    if last is None:
        return 0
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                _FOLD,
                {"day": _date(day), "before": _date(before_day), "after": after, "last": last, "at": instant(at)},
            )
            return int(cursor.rowcount)
    except IntegrityError as error:
        # Somebody made it at the same moment, from the same rows.
        if breaks_unique_key(error) or AccountSnapshot.objects.filter(gaming_day=day).exists():
            return 0
        raise


def _date(day: dt.date | None) -> Any:
    return connection.ops.adapt_datefield_value(day)


def _last_transfer_of_day(*, after: int, end: dt.datetime) -> int | None:
    """The id up to which the day reaches; None before the first transfer of all."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_AFTER, [after, instant(end)])
        following = cursor.fetchone()
        cursor.execute(*(_LAST, []) if following is None else (_LAST_BEFORE, list(following)))
        (last,) = cursor.fetchone()
    if last is not None:
        _wait_for_others()
    return None if last is None else int(last)


def _wait_for_others() -> None:
    """Wait until nobody can commit a transfer with an id below those that were seen just now.

    Ids are given out before their transactions commit. On SQLite writers come one after the other, and so do ids.
    """
    if connection.vendor != "postgresql":
        return
    deadline = time.monotonic() + WAIT_SECONDS
    writing = _writers()
    while writing := writing & _writers():
        if time.monotonic() > deadline:
            raise TransfersStillOpen("Money is still being moved by a transaction from before.")
        time.sleep(0.05)


def _writers() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS)
        return {transaction_id for (transaction_id,) in cursor.fetchall()}
