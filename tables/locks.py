"""The round's lock. Placing, taking back and choosing at zero share it; closing has it alone.

On PostgreSQL it is a transaction advisory lock: fair, so that a closing comes through however many bet, where a lock on
the round's row would let sharers overtake it for ever. On SQLite an IMMEDIATE transaction excludes everyone already.
Lock order everywhere: the round, accounts by id, then the table's row, which is hot (its counters) and so comes last.
"""

from django.db import connection

# Advisory locks share one space of 64-bit keys per database; rounds take those that leave 1 when divided by 16.
ROUND_LOCK_SQL = "(%s::bigint * 16 + 1)"


def share_round(round_id: int) -> None:
    """Hold the round open until this transaction ends."""
    _lock("pg_advisory_xact_lock_shared", round_id)


def exclude_from_round(round_id: int) -> None:
    """Wait until nobody shares the round, and keep everybody out until this transaction ends."""
    _lock("pg_advisory_xact_lock", round_id)


def _lock(function: str, round_id: int) -> None:
    assert connection.in_atomic_block, "locks are held until the end of a transaction"
    if connection.vendor == "postgresql":
        # A statement of its own: what is read afterwards has a snapshot later than the lock.
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}({ROUND_LOCK_SQL})", [round_id])
