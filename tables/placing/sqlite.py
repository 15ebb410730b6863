"""Placing on SQLite: raw statements inside one IMMEDIATE transaction, whose write lock excludes everyone.

What the checks are, and in which order they are named, is the same as in postgresql.py; a test holds the two together.
"""

import datetime as dt
from collections import Counter
from typing import Any

from django.db import connection, transaction

from roulette_site.common.sql import instant

from .slip import NewSlip, Placed


def place_slip(slip: NewSlip) -> Placed:
    """Read everything, decide, and write only if nothing stands against it."""
    # Taken before the wait for the write lock, so that a bet that came in time is not made late by the queue.
    at = slip.at or dt.datetime.now(dt.UTC)
    with transaction.atomic(), connection.cursor() as cursor:
        first = _row(
            cursor,
            "SELECT t.id, s.body_hash, s.seat_id FROM wallets_transfer t"
            " LEFT JOIN tables_slip s ON s.transfer_id = t.id WHERE t.idempotency_key = %s",
            [slip.key],
        )
        state, is_late, round_seat, round_table = _row(
            cursor,
            "SELECT state, closes_at IS NOT NULL AND closes_at <= %s, seat_id, table_id FROM tables_gameround"
            " WHERE id = %s",
            [instant(at), slip.game_round_id],
        )
        left_at, seat_table, balance = _row(
            cursor,
            "SELECT s.left_at, s.table_id, a.balance_cents FROM tables_seat s JOIN wallets_account a"
            " ON a.id = s.account_id WHERE s.id = %s AND a.id = %s",
            [slip.seat_id, slip.account_id],
        )
        if first is not None:
            return Placed(first[0], first[1], first[2], balance, True, ())
        cursor.execute(
            "SELECT b.spot, sum(b.stake_cents) FROM tables_bet b WHERE b.game_round_id = %s AND b.account_id = %s"
            " AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id) GROUP BY b.spot",
            [slip.game_round_id, slip.account_id],
        )
        live: dict[int, int] = dict(cursor.fetchall())
        breaches = []
        if state != "betting" or is_late:
            breaches.append("betting_closed")
        if left_at is not None or round_seat not in (None, slip.seat_id) or seat_table != round_table:
            breaches.append("not_seated")
        breaches += _money_breaches(slip, balance, live)
        if breaches:
            return Placed(None, None, None, balance, False, tuple(breaches))
        return Placed(_write(cursor, slip, at), None, None, balance - slip.total_cents, False, ())


def _money_breaches(slip: NewSlip, balance: int, live: dict[int, int]) -> list[str]:
    breaches = []
    if balance < slip.total_cents:
        breaches.append(f"balance_too_low:{balance}")
    standing = sum(live.values())
    if slip.total_limit_cents is not None and standing + slip.total_cents > slip.total_limit_cents:
        breaches.append(f"above_total_limit:{max(slip.total_limit_cents - standing, 0)}")
    wanted = Counter[int]()
    maxima: dict[int, int] = {}
    for bet in slip.bets:
        wanted[bet.spot] += bet.stake_cents
        maxima[bet.spot] = min(bet.maximum_cents, maxima.get(bet.spot, bet.maximum_cents))
    for spot in sorted(wanted):
        if live.get(spot, 0) + wanted[spot] > maxima[spot]:
            breaches.append(f"above_maximum:{spot}:{max(maxima[spot] - live.get(spot, 0), 0)}")
    return breaches


def _write(cursor: Any, slip: NewSlip, at: dt.datetime) -> int:
    moment = instant(at)
    cursor.execute(
        "UPDATE wallets_account SET balance_cents = balance_cents - %s WHERE id = %s",
        [slip.total_cents, slip.account_id],
    )
    slip_id: int
    (slip_id,) = _row(
        cursor,
        "INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, round_ref, seat_ref,"
        " idempotency_key, actor, created_at) VALUES (%s, %s, %s, %s, 'stake', %s, %s, %s, %s, %s) RETURNING id",
        [
            slip.account_id, slip.in_play_id, slip.total_cents, slip.unit, slip.game_round_id, slip.seat_id,
            slip.key, slip.actor, moment,
        ],
    )  # fmt: skip
    cursor.execute(
        "INSERT INTO tables_slip (transfer_id, game_round_id, seat_id, body_hash, placed_at)"
        " VALUES (%s, %s, %s, %s, %s)",
        [slip_id, slip.game_round_id, slip.seat_id, slip.body_hash, moment],
    )
    cursor.executemany(
        "INSERT INTO tables_slipcall (slip_id, ordinal, name, parameters, unit_cents) VALUES (%s, %s, %s, %s, %s)",
        [(slip_id, n, call.name, call.parameters, call.unit_cents) for n, call in enumerate(slip.calls)],
    )
    cursor.executemany(
        "INSERT INTO tables_bet (slip_id, game_round_id, account_id, spot, stake_cents, call_ordinal)"
        " VALUES (%s, %s, %s, %s, %s, %s)",
        [
            (slip_id, slip.game_round_id, slip.account_id, bet.spot, bet.stake_cents, bet.call_ordinal)
            for bet in slip.bets
        ],
    )
    if slip.deadline_seconds is not None:
        cursor.execute(
            "UPDATE tables_gameround SET closes_at = %s WHERE id = %s AND closes_at IS NULL",
            [instant(at + dt.timedelta(seconds=slip.deadline_seconds)), slip.game_round_id],
        )
    return slip_id


def _row(cursor: Any, sql: str, parameters: list[Any]) -> Any:
    cursor.execute(sql, parameters)
    return cursor.fetchone()
