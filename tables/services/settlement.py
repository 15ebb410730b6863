"""Paying a round: set-based statements in one transaction, however many bets it has.

Bets are immutable. What returns something gets an outcome row; a losing bet is known by the round's number. The engine
says for each of the 161 spots what the number makes of it, as a ratio; the database multiplies.
"""

import datetime as dt
from typing import Any

from django.db import connection, transaction

from roulette_site.common.sql import instant
from tables.models import EventKind, GameRound, OutcomeKind, RoundState
from tables.roulette.rulebook import Rulebook
from tables.roulette.settlement import spot_results
from wallets.models import Account, AccountKind, Unit
from wallets.protection import PlayerCalendar

from .events import record_event

# Odd cents go up, in the player's favour (reading 5): all numbers are positive, so this is the ceiling.
_OUTCOMES = """
WITH rule (spot, kind, numerator, denominator, payment_rank) AS (VALUES {rules})
INSERT INTO tables_betoutcome (bet_id, game_round_id, revision, kind, returned_cents, payment_rank)
SELECT b.id, b.game_round_id, 0, rule.kind,
  (b.stake_cents * rule.numerator + rule.denominator - 1) / rule.denominator, rule.payment_rank
FROM tables_bet b JOIN rule ON rule.spot = b.spot
WHERE b.game_round_id = %s AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)
ORDER BY rule.payment_rank, b.id
"""

_LOCK_WINNERS = """
SELECT a.id FROM wallets_account a WHERE a.id IN (
  SELECT b.account_id FROM tables_betoutcome o JOIN tables_bet b ON b.id = o.bet_id WHERE o.game_round_id = %s
) ORDER BY a.id FOR NO KEY UPDATE
"""

# One transfer per player and reason: the stake that goes back, the prize from the house, the half back at zero.
_TRANSFERS = """
WITH paid AS (
  SELECT b.account_id,
    sum(CASE WHEN o.kind = 'won' THEN b.stake_cents ELSE 0 END) AS stake_returned,
    sum(CASE WHEN o.kind = 'won' THEN o.returned_cents - b.stake_cents ELSE 0 END) AS prize,
    sum(CASE WHEN o.kind = 'half' THEN o.returned_cents ELSE 0 END) AS half_back
  FROM tables_betoutcome o JOIN tables_bet b ON b.id = o.bet_id WHERE o.game_round_id = %(round)s GROUP BY b.account_id
), today (zone, day) AS (VALUES {zones}), moved (debit_id, credit_id, amount, reason) AS (
  SELECT CAST(%(in_play)s AS bigint), account_id, stake_returned, 'stake_returned' FROM paid
  UNION ALL SELECT CAST(%(house)s AS bigint), account_id, prize, 'prize' FROM paid
  UNION ALL SELECT CAST(%(in_play)s AS bigint), account_id, half_back, 'half_back' FROM paid
  UNION ALL SELECT CAST(%(in_play)s AS bigint), CAST(%(house)s AS bigint), CAST(%(lost)s AS bigint), 'stake_lost'
)
INSERT INTO wallets_transfer
  (debit_id, credit_id, amount_cents, unit, reason, round_ref, actor, created_at, player_day)
SELECT debit_id, credit_id, amount, %(unit)s, reason, %(round)s, 'system', %(at)s, (
  SELECT today.day FROM wallets_account a JOIN wallets_player p ON p.id = a.player_id
  JOIN today ON today.zone = p.time_zone WHERE a.id = credit_id
) FROM moved
WHERE amount > 0 ORDER BY credit_id, reason
"""

# Whose calendar the money comes back in: a handful of zones, however many players.
_ZONES = """
SELECT DISTINCT p.time_zone FROM tables_betoutcome o JOIN tables_bet b ON b.id = o.bet_id
JOIN wallets_account a ON a.id = b.account_id JOIN wallets_player p ON p.id = a.player_id
WHERE o.game_round_id = %s AND a.unit = 'EUR' ORDER BY p.time_zone
"""

_RETURNED = """
SELECT t.credit_id AS account_id, t.player_day AS day, sum(t.amount_cents) AS cents FROM wallets_transfer t
WHERE t.round_ref = %s AND t.reason IN ('stake_returned', 'prize', 'half_back') AND t.player_day IS NOT NULL
GROUP BY t.credit_id, t.player_day
"""

# Two statements, and no upsert: on SQLite the guard against REPLACE refuses every INSERT of a row that is there.
_MAKE_DAYS = f"""
INSERT INTO wallets_playerday (account_id, day, deposited_cents, staked_cents, returned_cents)
SELECT r.account_id, r.day, 0, 0, 0 FROM ({_RETURNED}) AS r
WHERE NOT EXISTS (SELECT 1 FROM wallets_playerday d WHERE d.account_id = r.account_id AND d.day = r.day)
"""

_COUNT_IN_DAYS = f"""
UPDATE wallets_playerday SET returned_cents = returned_cents + r.cents FROM ({_RETURNED}) AS r
WHERE wallets_playerday.account_id = r.account_id AND wallets_playerday.day = r.day
"""

_BALANCES = """
UPDATE wallets_account SET balance_cents = balance_cents + paid.returned
FROM (
  SELECT b.account_id, sum(o.returned_cents) AS returned FROM tables_betoutcome o JOIN tables_bet b ON b.id = o.bet_id
  WHERE o.game_round_id = %s GROUP BY b.account_id
) AS paid WHERE wallets_account.id = paid.account_id
"""

_TOTALS = """
SELECT count(*), COALESCE(sum(b.stake_cents), 0),
  COALESCE(sum(CASE WHEN o.kind = 'won' THEN b.stake_cents ELSE 0 END), 0),
  COALESCE(sum(CASE WHEN o.kind = 'won' THEN o.returned_cents - b.stake_cents ELSE 0 END), 0),
  COALESCE(sum(CASE WHEN o.kind = 'half' THEN o.returned_cents ELSE 0 END), 0)
FROM tables_bet b LEFT JOIN tables_betoutcome o ON o.bet_id = b.id AND o.game_round_id = b.game_round_id
WHERE b.game_round_id = %s AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)
"""

_WRITE_TOTALS = """
INSERT INTO tables_roundtotals
  (game_round_id, unit, bets, staked_cents, stake_returned_cents, prize_cents, half_back_cents, lost_cents)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""


def settle_round(*, game_round_id: int, at: dt.datetime) -> bool:
    """Pay every winning bet of a drawn round and collect the others (rules 14, 19 to 21); True if this call did it."""
    with transaction.atomic():
        moved_on = GameRound.objects.filter(pk=game_round_id, state=RoundState.DRAWN).update(
            state=RoundState.SETTLED, settled_at=at
        )
        if not moved_on:
            return False
        game_round = GameRound.objects.select_related("table").get(pk=game_round_id)
        assert game_round.winning_number is not None, "a drawn round has a number"
        _pay(game_round, at)
        record_event(game_round=game_round, kind=EventKind.SETTLED, at=at)
    return True


def _pay(game_round: GameRound, at: dt.datetime) -> None:
    table = game_round.table
    house = Account.objects.get(kind=AccountKind.HOUSE, unit=table.unit)
    assert game_round.winning_number is not None, "a drawn round has a number"
    with connection.cursor() as cursor:
        sql, parameters = outcomes_statement(game_round.rulebook, game_round.winning_number)
        cursor.execute(sql, [*parameters, game_round.pk])
        if connection.vendor == "postgresql":
            cursor.execute(_LOCK_WINNERS, [game_round.pk])
        zones = _days_by_zone(cursor, game_round.pk, at)
        cursor.execute(_TOTALS, [game_round.pk])
        bets, staked, stake_returned, prize, half_back = cursor.fetchone()
        lost = staked - stake_returned - half_back
        cursor.execute(
            _TRANSFERS.format(zones=", ".join(f"(%(zone{n})s, %(day{n})s)" for n in range(len(zones)))),
            {
                **{f"zone{n}": zone for n, (zone, _) in enumerate(zones)},
                **{f"day{n}": day for n, (_, day) in enumerate(zones)},
                "round": game_round.pk,
                "in_play": table.in_play_id,
                "house": house.pk,
                "lost": int(lost),
                "unit": Unit(table.unit),
                "at": instant(at),
            },
        )
        cursor.execute(_BALANCES, [game_round.pk])
        _count_in_days(cursor, game_round.pk)
        cursor.execute(_WRITE_TOTALS, [game_round.pk, table.unit, bets, staked, stake_returned, prize, half_back, lost])


def _days_by_zone(cursor: Any, game_round_id: int, at: dt.datetime) -> list[tuple[str, Any]]:
    """Today's date in each of the calendars that money comes back in."""
    cursor.execute(_ZONES, [game_round_id])
    # A list of values has one at least, and no player has a calendar without a name.
    days = {"": at.date()} | {zone: PlayerCalendar.at(at, zone).day for (zone,) in cursor.fetchall()}
    return [(zone, connection.ops.adapt_datefield_value(day)) for zone, day in days.items()]


def _count_in_days(cursor: Any, game_round_id: int) -> None:
    """Count what was returned in the winners' days; their accounts are locked, so no day's row is made meanwhile."""
    cursor.execute(_MAKE_DAYS, [game_round_id])
    cursor.execute(_COUNT_IN_DAYS, [game_round_id])


def outcomes_statement(rulebook: Rulebook, number: int) -> tuple[str, list[Any]]:
    """The statement that writes the outcomes of `number`, and its parameters but for the round."""
    rules: list[Any] = []
    returning = [result for result in spot_results(rulebook, number) if result.kind != "lost"]
    for result in returning:
        # A kind that the database does not know (a choice at zero) stops here, before anything is paid.
        kind = OutcomeKind(result.kind)
        rules += [
            result.spot.index, str(kind), result.numerator, result.denominator, rulebook.payment_rank(result.spot)
        ]  # fmt: skip
    return _OUTCOMES.format(rules=", ".join(["(%s, %s, %s, %s, %s)"] * len(returning))), rules
