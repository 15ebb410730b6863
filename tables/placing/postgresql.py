"""Placing on PostgreSQL: one call of a function that takes the two locks and then decides and writes in one statement.

Each statement of the function has a snapshot later than the lock before it. A sum or a state that is read in the same
statement as the lock is no check: it sees the world from before the wait.
"""

from django.db import connection

from roulette_site.common.guards import DatabaseObject, postgresql_function
from tables.locks import ROUND_LOCK_SQL

from .slip import NewSlip, Placed

# The version in the name lets old and new web processes run side by side during an upgrade.
FUNCTION_NAME = "tables_place_slip_v2"

_SIGNATURE = """(
  p_at timestamptz, p_key text, p_body text, p_round bigint, p_seat bigint, p_account bigint, p_in_play bigint,
  p_unit text, p_actor text, p_spots int[], p_stakes bigint[], p_maxima bigint[], p_calls int[],
  p_call_names text[], p_call_parameters text[], p_call_units bigint[], p_total_limit bigint, p_deadline_seconds int,
  p_day date, p_week date, p_month date
) RETURNS TABLE (slip bigint, first_body text, first_seat bigint, balance bigint, replayed boolean, breaches text[])"""

_BODY = f"""
BEGIN
  PERFORM pg_advisory_xact_lock_shared({ROUND_LOCK_SQL.replace("%s", "p_round")});
  PERFORM 1 FROM wallets_account WHERE id = p_account FOR NO KEY UPDATE;
  RETURN QUERY
  WITH moment AS (
    -- The instant the server received the call, not the one at which the locks were had.
    SELECT COALESCE(p_at, statement_timestamp()) AS at
  ), prev AS MATERIALIZED (
    SELECT t.id, s.body_hash, s.seat_id
    FROM wallets_transfer t LEFT JOIN tables_slip s ON s.transfer_id = t.id WHERE t.idempotency_key = p_key
  ), wanted AS MATERIALIZED (
    SELECT w.spot, sum(w.stake) AS stake, min(w.maximum) AS maximum
    FROM unnest(p_spots, p_stakes, p_maxima) AS w(spot, stake, maximum) GROUP BY w.spot
  ), live AS MATERIALIZED (
    SELECT b.spot, sum(b.stake_cents) AS stake FROM tables_bet b
    WHERE b.game_round_id = p_round AND b.account_id = p_account
      AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)
    GROUP BY b.spot
  ), sums AS MATERIALIZED (
    SELECT (SELECT sum(w.stake) FROM wanted w)::bigint AS total,
      COALESCE((SELECT sum(l.stake) FROM live l), 0)::bigint AS standing
  ), verdict AS MATERIALIZED (
    SELECT a.balance_cents, array_remove(ARRAY[
      CASE WHEN r.state <> 'betting' OR m.at >= r.closes_at THEN 'betting_closed' END,
      CASE WHEN s.left_at IS NOT NULL OR r.seat_id <> s.id OR s.table_id <> r.table_id THEN 'not_seated' END,
      CASE WHEN m.at < a.excluded_until THEN 'excluded' END
    ], NULL) || string_to_array(NULLIF(a.barred, ''), ' ') || array_remove(ARRAY[
      CASE WHEN m.at >= s.play_until THEN 'time_used_up' END,
      CASE WHEN m.at >= s.reality_check_at THEN 'reality_check_due' END,
      CASE WHEN a.balance_cents < sums.total THEN 'balance_too_low:' || a.balance_cents END,
      CASE WHEN sums.standing + sums.total > a.stake_limit_cents
        THEN 'above_stake_limit:' || GREATEST(a.stake_limit_cents - sums.standing, 0) END,
      CASE WHEN lost.in_day + sums.total > a.loss_day_limit_cents
        THEN 'above_loss_limit_day:' || GREATEST(a.loss_day_limit_cents - lost.in_day, 0) END,
      CASE WHEN lost.in_week + sums.total > a.loss_week_limit_cents
        THEN 'above_loss_limit_week:' || GREATEST(a.loss_week_limit_cents - lost.in_week, 0) END,
      CASE WHEN lost.in_month + sums.total > a.loss_month_limit_cents
        THEN 'above_loss_limit_month:' || GREATEST(a.loss_month_limit_cents - lost.in_month, 0) END,
      CASE WHEN sums.standing + sums.total > p_total_limit
        THEN 'above_total_limit:' || GREATEST(p_total_limit - sums.standing, 0) END
    ], NULL) || ARRAY(
      SELECT 'above_maximum:' || w.spot || ':' || GREATEST(w.maximum - COALESCE(l.stake, 0), 0)
      FROM wanted w LEFT JOIN live l ON l.spot = w.spot
      WHERE COALESCE(l.stake, 0) + w.stake > w.maximum ORDER BY w.spot
    ) AS breaches
    FROM tables_gameround r, tables_seat s, wallets_account a
    -- Read only for who has set a limit: a day's row each, at most those of a month.
    LEFT JOIN LATERAL (
      SELECT COALESCE(sum(d.staked_cents - d.returned_cents) FILTER (WHERE d.day = p_day), 0)::bigint AS in_day,
        COALESCE(sum(d.staked_cents - d.returned_cents) FILTER (WHERE d.day >= p_week), 0)::bigint AS in_week,
        COALESCE(sum(d.staked_cents - d.returned_cents) FILTER (WHERE d.day >= p_month), 0)::bigint AS in_month
      FROM wallets_playerday d
      WHERE d.account_id = a.id AND d.day BETWEEN LEAST(p_week, p_month) AND p_day
        AND COALESCE(a.loss_day_limit_cents, a.loss_week_limit_cents, a.loss_month_limit_cents) IS NOT NULL
    ) lost ON true, sums, moment m
    WHERE r.id = p_round AND s.id = p_seat AND a.id = p_account AND s.account_id = a.id
  ), debited AS (
    UPDATE wallets_account a SET balance_cents = a.balance_cents - sums.total FROM verdict v, sums
    WHERE a.id = p_account AND v.breaches = '{{}}' AND NOT EXISTS (SELECT 1 FROM prev)
    RETURNING a.balance_cents
  ), moved AS (
    INSERT INTO wallets_transfer
      (debit_id, credit_id, amount_cents, unit, reason, round_ref, seat_ref, idempotency_key, actor, created_at,
        player_day)
    SELECT p_account, p_in_play, sums.total, p_unit, 'stake', p_round, p_seat, p_key, p_actor, m.at, p_day
    FROM debited, sums, moment m RETURNING id
  ), counted AS (
    INSERT INTO wallets_playerday (account_id, day, deposited_cents, staked_cents, returned_cents)
    SELECT p_account, p_day, 0, sums.total, 0 FROM debited, sums WHERE p_day IS NOT NULL
    ON CONFLICT (account_id, day) DO UPDATE SET staked_cents = wallets_playerday.staked_cents + excluded.staked_cents
  ), written AS (
    INSERT INTO tables_slip (transfer_id, game_round_id, seat_id, body_hash, placed_at)
    SELECT moved.id, p_round, p_seat, p_body, m.at FROM moved, moment m RETURNING transfer_id
  ), calls AS (
    INSERT INTO tables_slipcall (slip_id, ordinal, name, parameters, unit_cents)
    SELECT written.transfer_id, c.ordinal - 1, c.name, c.parameters::jsonb, c.unit
    FROM written, unnest(p_call_names, p_call_parameters, p_call_units)
      WITH ORDINALITY AS c(name, parameters, unit, ordinal)
  ), bets AS (
    INSERT INTO tables_bet (slip_id, game_round_id, account_id, spot, stake_cents, call_ordinal)
    SELECT written.transfer_id, p_round, p_account, b.spot, b.stake, b.call
    FROM written, unnest(p_spots, p_stakes, p_calls) WITH ORDINALITY AS b(spot, stake, call, ordinal) ORDER BY b.ordinal
  ), deadline AS (
    UPDATE tables_gameround r SET closes_at = m.at + p_deadline_seconds * interval '1 second'
    FROM written, moment m WHERE r.id = p_round AND r.closes_at IS NULL AND p_deadline_seconds IS NOT NULL
  )
  SELECT COALESCE(prev.id, written.transfer_id), prev.body_hash::text, prev.seat_id,
    COALESCE(debited.balance_cents, v.balance_cents), prev.id IS NOT NULL,
    CASE WHEN prev.id IS NULL THEN v.breaches ELSE '{{}}' END
  FROM verdict v LEFT JOIN prev ON true LEFT JOIN written ON true LEFT JOIN debited ON true;
END"""

FUNCTION: DatabaseObject = postgresql_function(FUNCTION_NAME, _SIGNATURE, _BODY)


def place_slip(slip: NewSlip) -> Placed:
    """Call the function through Django's cursor; outside a transaction it is a transaction of its own."""
    parameters = [
        slip.at,
        slip.key,
        slip.body_hash,
        slip.game_round_id,
        slip.seat_id,
        slip.account_id,
        slip.in_play_id,
        slip.unit,
        slip.actor,
        [bet.spot for bet in slip.bets],
        [bet.stake_cents for bet in slip.bets],
        [bet.maximum_cents for bet in slip.bets],
        [bet.call_ordinal for bet in slip.bets],
        [call.name for call in slip.calls],
        [call.parameters for call in slip.calls],
        [call.unit_cents for call in slip.calls],
        slip.total_limit_cents,
        slip.deadline_seconds,
        *(
            (None, None, None)
            if slip.calendar is None
            else (slip.calendar.day, slip.calendar.week, slip.calendar.month)
        ),
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT * FROM {FUNCTION_NAME}(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s::int[], %s::bigint[], %s::bigint[],"
            " %s::int[], %s::text[], %s::text[], %s::bigint[], %s, %s, %s, %s, %s)",
            parameters,
        )
        slip_id, first_body, first_seat, balance, replayed, breaches = cursor.fetchone()
    return Placed(slip_id, first_body, first_seat, balance, replayed, tuple(breaches))
