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
), moved (debit_id, credit_id, amount, reason) AS (
  SELECT CAST(%(in_play)s AS bigint), account_id, stake_returned, 'stake_returned' FROM paid
  UNION ALL SELECT CAST(%(house)s AS bigint), account_id, prize, 'prize' FROM paid
  UNION ALL SELECT CAST(%(in_play)s AS bigint), account_id, half_back, 'half_back' FROM paid
  UNION ALL SELECT CAST(%(in_play)s AS bigint), CAST(%(house)s AS bigint), CAST(%(lost)s AS bigint), 'stake_lost'
)
INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, round_ref, actor, created_at)
SELECT debit_id, credit_id, amount, %(unit)s, reason, %(round)s, 'system', %(at)s FROM moved
WHERE amount > 0 ORDER BY credit_id, reason
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
        cursor.execute(_TOTALS, [game_round.pk])
        bets, staked, stake_returned, prize, half_back = cursor.fetchone()
        lost = staked - stake_returned - half_back
        cursor.execute(
            _TRANSFERS,
            {
                "round": game_round.pk,
                "in_play": table.in_play_id,
                "house": house.pk,
                "lost": int(lost),
                "unit": Unit(table.unit),
                "at": instant(at),
            },
        )
        cursor.execute(_BALANCES, [game_round.pk])
        cursor.execute(_WRITE_TOTALS, [game_round.pk, table.unit, bets, staked, stake_returned, prize, half_back, lost])


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
