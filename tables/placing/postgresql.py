"""Placing on PostgreSQL: one call of a function that takes the two locks, reads, decides and writes.

Each statement of the function has a snapshot later than the lock before it. A sum or a state that is read in the same
statement as the lock is no check: it sees the world from before the wait. The statements are many and small: what a
large one saves in number it loses in the making ready of its plan, at each call (docs/decisions/0004-placing.md).
"""

from psycopg.types.numeric import Int8

from roulette_site.common.guards import DatabaseObject, postgresql_function
from roulette_site.common.sql import prepared_cursor
from tables.locks import ROUND_LOCK_SQL

from .slip import NewSlip, Placed

# The version in the name lets old and new web processes run side by side during an upgrade.
FUNCTION_NAME = "tables_place_slip_v4"

_SIGNATURE = """(
  p_at timestamptz, p_key text, p_body text, p_round bigint, p_seat bigint, p_account bigint, p_in_play bigint,
  p_unit text, p_actor text, p_spots bigint[], p_stakes bigint[], p_maxima bigint[], p_calls bigint[],
  p_call_names text[], p_call_parameters text[], p_call_units bigint[], p_total_limit bigint, p_deadline_seconds int,
  p_day date, p_week date, p_month date
) RETURNS TABLE (slip bigint, first_body text, first_seat bigint, balance bigint, replayed boolean, breaches text[])"""

_BODY = f"""
DECLARE
  -- The instant the server received the call, not the one at which the locks were had.
  moment timestamptz := COALESCE(p_at, statement_timestamp());
  account record;
  seat record;
  game record;
  lost record;
  staked record;
BEGIN
  PERFORM pg_advisory_xact_lock_shared({ROUND_LOCK_SQL.replace("%s", "p_round")});
  SELECT a.balance_cents, a.barred, a.excluded_until, a.unchecked_from, a.stake_limit_cents, a.loss_day_limit_cents,
    a.loss_week_limit_cents, a.loss_month_limit_cents
  INTO STRICT account FROM wallets_account a WHERE a.id = p_account FOR NO KEY UPDATE;
  balance := account.balance_cents;
  breaches := '{{}}';
  replayed := false;

  SELECT t.id, s.body_hash, s.seat_id INTO slip, first_body, first_seat
  FROM wallets_transfer t LEFT JOIN tables_slip s ON s.transfer_id = t.id WHERE t.idempotency_key = p_key;
  IF FOUND THEN
    replayed := true;
    RETURN NEXT;
    RETURN;
  END IF;

  SELECT r.state, r.closes_at, r.seat_id, r.table_id INTO STRICT game FROM tables_gameround r WHERE r.id = p_round;
  SELECT s.table_id, s.left_at, s.play_until, s.reality_check_at INTO STRICT seat
  FROM tables_seat s WHERE s.id = p_seat AND s.account_id = p_account;
  -- What the slip adds to what lies there already, in all and, where it is too much for a spot, on that spot.
  SELECT sum(o.wanted)::bigint AS total, sum(o.live)::bigint AS standing, array_agg(
    'above_maximum:' || o.spot || ':' || GREATEST(o.maximum - o.live, 0) ORDER BY o.spot
  ) FILTER (WHERE o.live + o.wanted > o.maximum) AS above
  INTO staked
  FROM (
    SELECT u.spot, sum(u.wanted) AS wanted, sum(u.live) AS live, min(u.maximum) AS maximum
    FROM (
      SELECT w.spot, w.stake AS wanted, 0::bigint AS live, w.maximum
      FROM unnest(p_spots, p_stakes, p_maxima) AS w(spot, stake, maximum)
      UNION ALL
      SELECT b.spot, 0, b.stake_cents, NULL FROM tables_bet b
      WHERE b.game_round_id = p_round AND b.account_id = p_account
        AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)
    ) u GROUP BY u.spot
  ) o;

  IF game.state <> 'betting' OR moment >= game.closes_at THEN
    breaches := breaches || 'betting_closed'::text;
  END IF;
  IF seat.left_at IS NOT NULL OR game.seat_id <> p_seat OR seat.table_id <> game.table_id THEN
    breaches := breaches || 'not_seated'::text;
  END IF;
  IF moment < account.excluded_until THEN
    breaches := breaches || 'excluded'::text;
  END IF;
  IF account.barred <> '' THEN
    breaches := breaches || string_to_array(account.barred, ' ');
  END IF;
  IF moment >= account.unchecked_from THEN
    breaches := breaches || 'register_unknown'::text;
  END IF;
  IF moment >= seat.play_until THEN
    breaches := breaches || 'time_used_up'::text;
  END IF;
  IF moment >= seat.reality_check_at THEN
    breaches := breaches || 'reality_check_due'::text;
  END IF;
  IF account.balance_cents < staked.total THEN
    breaches := breaches || ('balance_too_low:' || account.balance_cents);
  END IF;
  IF staked.standing + staked.total > account.stake_limit_cents THEN
    breaches := breaches || ('above_stake_limit:' || GREATEST(account.stake_limit_cents - staked.standing, 0));
  END IF;
  -- Read only for who has set a limit: a day's row each, at most those of a month.
  IF p_day IS NOT NULL AND
    COALESCE(account.loss_day_limit_cents, account.loss_week_limit_cents, account.loss_month_limit_cents) IS NOT NULL
  THEN
    SELECT COALESCE(sum(d.staked_cents - d.returned_cents) FILTER (WHERE d.day = p_day), 0)::bigint AS in_day,
      COALESCE(sum(d.staked_cents - d.returned_cents) FILTER (WHERE d.day >= p_week), 0)::bigint AS in_week,
      COALESCE(sum(d.staked_cents - d.returned_cents) FILTER (WHERE d.day >= p_month), 0)::bigint AS in_month
    INTO lost
    FROM wallets_playerday d WHERE d.account_id = p_account AND d.day BETWEEN LEAST(p_week, p_month) AND p_day;
    IF lost.in_day + staked.total > account.loss_day_limit_cents THEN
      breaches := breaches || ('above_loss_limit_day:' || GREATEST(account.loss_day_limit_cents - lost.in_day, 0));
    END IF;
    IF lost.in_week + staked.total > account.loss_week_limit_cents THEN
      breaches := breaches || ('above_loss_limit_week:' || GREATEST(account.loss_week_limit_cents - lost.in_week, 0));
    END IF;
    IF lost.in_month + staked.total > account.loss_month_limit_cents THEN
      breaches := breaches
        || ('above_loss_limit_month:' || GREATEST(account.loss_month_limit_cents - lost.in_month, 0));
    END IF;
  END IF;
  IF staked.standing + staked.total > p_total_limit THEN
    breaches := breaches || ('above_total_limit:' || GREATEST(p_total_limit - staked.standing, 0));
  END IF;
  breaches := breaches || staked.above;
  IF breaches <> '{{}}' THEN
    RETURN NEXT;
    RETURN;
  END IF;

  UPDATE wallets_account a SET balance_cents = a.balance_cents - staked.total WHERE a.id = p_account
  RETURNING a.balance_cents INTO balance;
  INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, round_ref, seat_ref, idempotency_key,
    actor, created_at, player_day)
  VALUES (p_account, p_in_play, staked.total, p_unit, 'stake', p_round, p_seat, p_key, p_actor, moment, p_day)
  RETURNING id INTO slip;
  IF p_day IS NOT NULL THEN
    INSERT INTO wallets_playerday (account_id, day, deposited_cents, staked_cents, returned_cents)
    VALUES (p_account, p_day, 0, staked.total, 0)
    ON CONFLICT (account_id, day) DO UPDATE SET staked_cents = wallets_playerday.staked_cents + excluded.staked_cents;
  END IF;
  INSERT INTO tables_slip (transfer_id, game_round_id, seat_id, body_hash, salt, placed_at)
  VALUES (slip, p_round, p_seat, p_body, gen_random_uuid()::text, moment);
  IF p_call_names <> '{{}}' THEN
    INSERT INTO tables_slipcall (slip_id, ordinal, name, parameters, unit_cents)
    SELECT slip, c.ordinal - 1, c.name, c.parameters::jsonb, c.unit
    FROM unnest(p_call_names, p_call_parameters, p_call_units) WITH ORDINALITY AS c(name, parameters, unit, ordinal);
  END IF;
  INSERT INTO tables_bet (slip_id, game_round_id, account_id, spot, stake_cents, call_ordinal)
  SELECT slip, p_round, p_account, b.spot, b.stake, b.call
  FROM unnest(p_spots, p_stakes, p_calls) WITH ORDINALITY AS b(spot, stake, call, ordinal) ORDER BY b.ordinal;
  IF p_deadline_seconds IS NOT NULL THEN
    UPDATE tables_gameround r SET closes_at = moment + p_deadline_seconds * interval '1 second'
    WHERE r.id = p_round AND r.closes_at IS NULL;
  END IF;
  RETURN NEXT;
END"""

FUNCTION: DatabaseObject = postgresql_function(FUNCTION_NAME, _SIGNATURE, _BODY)


_PARAMETERS = (
    "(%s::timestamptz, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::bigint[],"
    " %s::text[], %s::text[], %s::bigint[], %s::bigint, %s::int, %s::date, %s::date, %s::date)"
)


def place_slip(slip: NewSlip) -> Placed:
    """Call the function; outside a transaction it is a transaction of its own."""
    calendar = slip.calendar
    # Numbers of one width, whatever they are: the statement is prepared once for each row of types.
    parameters = (
        slip.at,
        slip.key,
        slip.body_hash,
        Int8(slip.game_round_id),
        Int8(slip.seat_id),
        Int8(slip.account_id),
        Int8(slip.in_play_id),
        slip.unit,
        slip.actor,
        [Int8(bet.spot) for bet in slip.bets],
        [Int8(bet.stake_cents) for bet in slip.bets],
        [Int8(bet.maximum_cents) for bet in slip.bets],
        [None if bet.call_ordinal is None else Int8(bet.call_ordinal) for bet in slip.bets],
        [call.name for call in slip.calls],
        [call.parameters for call in slip.calls],
        [Int8(call.unit_cents) for call in slip.calls],
        None if slip.total_limit_cents is None else Int8(slip.total_limit_cents),
        slip.deadline_seconds,
        *((None, None, None) if calendar is None else (calendar.day, calendar.week, calendar.month)),
    )
    with prepared_cursor() as cursor:
        cursor.execute(f"SELECT * FROM {FUNCTION_NAME}{_PARAMETERS}", parameters, prepare=True)
        row = cursor.fetchone()
    assert row is not None, "the function always answers"
    slip_id, first_body, first_seat, balance, replayed, breaches = row
    return Placed(slip_id, first_body, first_seat, balance, replayed, tuple(breaches))
