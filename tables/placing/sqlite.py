"""Placing on SQLite: raw statements inside one IMMEDIATE transaction, whose write lock excludes everyone.

What the checks are, and in which order they are named, is the same as in postgresql.py; a test holds the two together.
"""

import datetime as dt
from collections import Counter
from dataclasses import dataclass
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
        left_at, seat_table, is_time_up, is_check_due = _row(
            cursor,
            "SELECT left_at, table_id, play_until IS NOT NULL AND play_until <= %s,"
            " reality_check_at IS NOT NULL AND reality_check_at <= %s FROM tables_seat"
            " WHERE id = %s AND account_id = %s",
            [instant(at), instant(at), slip.seat_id, slip.account_id],
        )
        account = _Account(
            *_row(
                cursor,
                "SELECT balance_cents, barred, excluded_until IS NOT NULL AND excluded_until > %s, stake_limit_cents,"
                " loss_day_limit_cents, loss_week_limit_cents, loss_month_limit_cents FROM wallets_account"
                " WHERE id = %s",
                [instant(at), slip.account_id],
            )
        )
        balance = account.balance_cents
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
        if account.is_excluded:
            breaches.append("excluded")
        breaches += account.barred.split()
        if is_time_up:
            breaches.append("time_used_up")
        if is_check_due:
            breaches.append("reality_check_due")
        breaches += _money_breaches(cursor, slip, account, live)
        if breaches:
            return Placed(None, None, None, balance, False, tuple(breaches))
        return Placed(_write(cursor, slip, at), None, None, balance - slip.total_cents, False, ())


@dataclass(frozen=True)
class _Account:
    balance_cents: int
    barred: str
    is_excluded: bool
    stake_limit_cents: int | None
    loss_day_limit_cents: int | None
    loss_week_limit_cents: int | None
    loss_month_limit_cents: int | None

    @property
    def loss_limits(self) -> tuple[tuple[str, int | None], ...]:
        limits = (self.loss_day_limit_cents, self.loss_week_limit_cents, self.loss_month_limit_cents)
        return tuple(zip(("day", "week", "month"), limits, strict=True))


def _money_breaches(cursor: Any, slip: NewSlip, account: _Account, live: dict[int, int]) -> list[str]:
    breaches = []
    if account.balance_cents < slip.total_cents:
        breaches.append(f"balance_too_low:{account.balance_cents}")
    standing = sum(live.values())
    limit = account.stake_limit_cents
    if limit is not None and standing + slip.total_cents > limit:
        breaches.append(f"above_stake_limit:{max(limit - standing, 0)}")
    for period, limit in account.loss_limits:
        if limit is not None and slip.calendar is not None:
            lost = _lost(cursor, slip, slip.calendar.first_day_of(period))
            if lost + slip.total_cents > limit:
                breaches.append(f"above_loss_limit_{period}:{max(limit - lost, 0)}")
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


def _lost(cursor: Any, slip: NewSlip, since: dt.date) -> int:
    assert slip.calendar is not None, "only money is limited"
    lost: int
    (lost,) = _row(
        cursor,
        "SELECT COALESCE(sum(staked_cents - returned_cents), 0) FROM wallets_playerday"
        " WHERE account_id = %s AND day BETWEEN %s AND %s",
        [slip.account_id, since.isoformat(), slip.calendar.day.isoformat()],
    )
    return lost


def _write(cursor: Any, slip: NewSlip, at: dt.datetime) -> int:
    moment = instant(at)
    day = None if slip.calendar is None else slip.calendar.day.isoformat()
    cursor.execute(
        "UPDATE wallets_account SET balance_cents = balance_cents - %s WHERE id = %s",
        [slip.total_cents, slip.account_id],
    )
    slip_id: int
    (slip_id,) = _row(
        cursor,
        "INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, round_ref, seat_ref,"
        " idempotency_key, actor, created_at, player_day)"
        " VALUES (%s, %s, %s, %s, 'stake', %s, %s, %s, %s, %s, %s) RETURNING id",
        [
            slip.account_id, slip.in_play_id, slip.total_cents, slip.unit, slip.game_round_id, slip.seat_id,
            slip.key, slip.actor, moment, day,
        ],
    )  # fmt: skip
    if day is not None:
        _count(cursor, slip, day)
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


def _count(cursor: Any, slip: NewSlip, day: str) -> None:
    # No upsert: the guard against REPLACE refuses every INSERT of a row that is there.
    cursor.execute(
        "UPDATE wallets_playerday SET staked_cents = staked_cents + %s WHERE account_id = %s AND day = %s",
        [slip.total_cents, slip.account_id, day],
    )
    if cursor.rowcount == 0:
        cursor.execute(
            "INSERT INTO wallets_playerday (account_id, day, deposited_cents, staked_cents, returned_cents)"
            " VALUES (%s, %s, 0, %s, 0)",
            [slip.account_id, day, slip.total_cents],
        )


def _row(cursor: Any, sql: str, parameters: list[Any]) -> Any:
    cursor.execute(sql, parameters)
    return cursor.fetchone()
