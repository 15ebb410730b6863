"""Placing on SQLite: raw statements inside one IMMEDIATE transaction, whose write lock excludes everyone.

What the checks are, and in which order they are named, is the same as in postgresql.py; a test holds the two together.
"""

import datetime as dt
import uuid
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from roulette_site.common.sql import instant, native_sqlite_cursor
from wallets.protection import PlayerCalendar

from .slip import NewSlip, Placed


def place_slip(slip: NewSlip) -> Placed:
    """Read everything, decide, and write only if nothing stands against it."""
    # Taken before the wait for the write lock, so that a bet that came in time is not made late by the queue.
    at = slip.at or dt.datetime.now(dt.UTC)
    with transaction.atomic(), native_sqlite_cursor() as cursor:
        first = _row(
            cursor,
            "SELECT t.id, s.body_hash, s.seat_id FROM wallets_transfer t"
            " LEFT JOIN tables_slip s ON s.transfer_id = t.id WHERE t.idempotency_key = ?",
            [slip.key],
        )
        state, is_late, round_seat, round_table = _row(
            cursor,
            "SELECT state, closes_at IS NOT NULL AND closes_at <= ?, seat_id, table_id FROM tables_gameround"
            " WHERE id = ?",
            [instant(at), slip.game_round_id],
        )
        seat = _Seat(
            *_row(
                cursor,
                "SELECT s.left_at, s.table_id, s.play_until IS NOT NULL AND s.play_until <= ?,"
                " s.reality_check_at IS NOT NULL AND s.reality_check_at <= ?, a.balance_cents, a.barred,"
                " a.excluded_until IS NOT NULL AND a.excluded_until > ?,"
                " a.unchecked_from IS NOT NULL AND a.unchecked_from <= ?, a.stake_limit_cents,"
                " a.loss_day_limit_cents, a.loss_week_limit_cents, a.loss_month_limit_cents"
                " FROM tables_seat s JOIN wallets_account a ON a.id = s.account_id WHERE s.id = ? AND a.id = ?",
                [*[instant(at)] * 4, slip.seat_id, slip.account_id],
            )
        )
        balance = seat.balance_cents
        if first is not None:
            return Placed(first[0], first[1], first[2], balance, True, ())
        cursor.execute(
            "SELECT b.spot, sum(b.stake_cents) FROM tables_bet b WHERE b.game_round_id = ? AND b.account_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id) GROUP BY b.spot",
            [slip.game_round_id, slip.account_id],
        )
        live: dict[int, int] = dict(cursor.fetchall())
        breaches = []
        if state != "betting" or is_late:
            breaches.append("betting_closed")
        if seat.left_at is not None or round_seat not in (None, slip.seat_id) or seat.table_id != round_table:
            breaches.append("not_seated")
        if seat.is_excluded:
            breaches.append("excluded")
        breaches += seat.barred.split()
        if seat.is_unchecked:
            breaches.append("register_unknown")
        if seat.is_time_up:
            breaches.append("time_used_up")
        if seat.is_check_due:
            breaches.append("reality_check_due")
        breaches += _money_breaches(cursor, slip, seat, live)
        if breaches:
            return Placed(None, None, None, balance, False, tuple(breaches))
        return Placed(_write(cursor, slip, at), None, None, balance - slip.total_cents, False, ())


@dataclass(frozen=True)
class _Seat:
    """The seat and its account, as they stand under the write lock."""

    left_at: Any
    table_id: int
    is_time_up: bool
    is_check_due: bool
    balance_cents: int
    barred: str
    is_excluded: bool
    is_unchecked: bool
    stake_limit_cents: int | None
    loss_day_limit_cents: int | None
    loss_week_limit_cents: int | None
    loss_month_limit_cents: int | None

    @property
    def loss_limits(self) -> tuple[tuple[str, int | None], ...]:
        limits = (self.loss_day_limit_cents, self.loss_week_limit_cents, self.loss_month_limit_cents)
        return tuple(zip(("day", "week", "month"), limits, strict=True))


def _money_breaches(cursor: Any, slip: NewSlip, seat: _Seat, live: dict[int, int]) -> list[str]:
    breaches = []
    if seat.balance_cents < slip.total_cents:
        breaches.append(f"balance_too_low:{seat.balance_cents}")
    standing = sum(live.values())
    limit = seat.stake_limit_cents
    if limit is not None and standing + slip.total_cents > limit:
        breaches.append(f"above_stake_limit:{max(limit - standing, 0)}")
    limits = seat.loss_limits
    if slip.calendar is not None and any(limit is not None for _, limit in limits):
        for (period, limit), lost in zip(limits, _losses(cursor, slip, slip.calendar), strict=True):
            if limit is not None and lost + slip.total_cents > limit:
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


def _losses(cursor: Any, slip: NewSlip, calendar: PlayerCalendar) -> tuple[int, int, int]:
    """Stakes that stand minus returns of the player's day, week and month: a row a day, at most those of a month."""
    cursor.execute(
        "SELECT day, staked_cents - returned_cents FROM wallets_playerday WHERE account_id = ? AND day BETWEEN ? AND ?",
        [slip.account_id, min(calendar.week, calendar.month).isoformat(), calendar.day.isoformat()],
    )
    days = cursor.fetchall()
    first_days = (calendar.day.isoformat(), calendar.week.isoformat(), calendar.month.isoformat())
    day, week, month = (sum(lost for on, lost in days if str(on) >= first) for first in first_days)
    return day, week, month


def _write(cursor: Any, slip: NewSlip, at: dt.datetime) -> int:
    moment = instant(at)
    day = None if slip.calendar is None else slip.calendar.day.isoformat()
    cursor.execute(
        "UPDATE wallets_account SET balance_cents = balance_cents - ? WHERE id = ?",
        [slip.total_cents, slip.account_id],
    )
    slip_id: int
    (slip_id,) = _row(
        cursor,
        "INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, round_ref, seat_ref,"
        " idempotency_key, actor, created_at, player_day)"
        " VALUES (?, ?, ?, ?, 'stake', ?, ?, ?, ?, ?, ?) RETURNING id",
        [
            slip.account_id, slip.in_play_id, slip.total_cents, slip.unit, slip.game_round_id, slip.seat_id,
            slip.key, slip.actor, moment, day,
        ],
    )  # fmt: skip
    if day is not None:
        _count(cursor, slip, day)
    cursor.execute(
        "INSERT INTO tables_slip (transfer_id, game_round_id, seat_id, body_hash, salt, placed_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [slip_id, slip.game_round_id, slip.seat_id, slip.body_hash, str(uuid.uuid4()), moment],
    )
    if slip.calls:
        cursor.executemany(
            "INSERT INTO tables_slipcall (slip_id, ordinal, name, parameters, unit_cents) VALUES (?, ?, ?, ?, ?)",
            [(slip_id, n, call.name, call.parameters, call.unit_cents) for n, call in enumerate(slip.calls)],
        )
    cursor.executemany(
        "INSERT INTO tables_bet (slip_id, game_round_id, account_id, spot, stake_cents, call_ordinal)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            (slip_id, slip.game_round_id, slip.account_id, bet.spot, bet.stake_cents, bet.call_ordinal)
            for bet in slip.bets
        ],
    )
    if slip.deadline_seconds is not None:
        cursor.execute(
            "UPDATE tables_gameround SET closes_at = ? WHERE id = ? AND closes_at IS NULL",
            [instant(at + dt.timedelta(seconds=slip.deadline_seconds)), slip.game_round_id],
        )
    return slip_id


def _count(cursor: Any, slip: NewSlip, day: str) -> None:
    # No upsert: the guard against REPLACE refuses every INSERT of a row that is there.
    cursor.execute(
        "UPDATE wallets_playerday SET staked_cents = staked_cents + ? WHERE account_id = ? AND day = ?",
        [slip.total_cents, slip.account_id, day],
    )
    if cursor.rowcount == 0:
        cursor.execute(
            "INSERT INTO wallets_playerday (account_id, day, deposited_cents, staked_cents, returned_cents)"
            " VALUES (?, ?, 0, ?, 0)",
            [slip.account_id, day, slip.total_cents],
        )


def _row(cursor: Any, sql: str, parameters: list[Any]) -> Any:
    cursor.execute(sql, parameters)
    return cursor.fetchone()
