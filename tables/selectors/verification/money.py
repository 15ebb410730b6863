"""The proofs of money: in play is what stands on the cloths, and every round's money goes where its bets say."""

from roulette_site.common.verification import Check, differences

_LIVE = "NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)"

_IN_PLAY = f"""
SELECT t.id, COALESCE(moved.total, 0), COALESCE(standing.total, 0)
FROM tables_table t
LEFT JOIN (
  SELECT account_id, sum(amount) AS total FROM (
    SELECT credit_id AS account_id, amount_cents AS amount FROM wallets_transfer
    UNION ALL SELECT debit_id, -amount_cents FROM wallets_transfer
  ) AS sides GROUP BY account_id
) moved ON moved.account_id = t.in_play_id
LEFT JOIN (
  SELECT r.table_id, sum(b.stake_cents) AS total FROM tables_bet b JOIN tables_gameround r ON r.id = b.game_round_id
  WHERE r.state IN ('betting', 'closed', 'drawn') AND {_LIVE} GROUP BY r.table_id
) standing ON standing.table_id = t.id
WHERE COALESCE(moved.total, 0) <> COALESCE(standing.total, 0) ORDER BY t.id
"""

_SLIPS = """
SELECT t.id, t.amount_cents, COALESCE(sum(b.stake_cents), 0)
FROM wallets_transfer t
LEFT JOIN tables_slip s ON s.transfer_id = t.id
LEFT JOIN tables_bet b ON b.slip_id = s.transfer_id AND b.account_id = t.debit_id AND b.game_round_id = s.game_round_id
WHERE t.reason = 'stake'
GROUP BY t.id, t.amount_cents, t.round_ref, t.seat_ref, s.game_round_id, s.seat_id
HAVING t.amount_cents <> COALESCE(sum(b.stake_cents), 0) OR s.game_round_id IS NULL
  OR s.game_round_id IS DISTINCT FROM t.round_ref OR s.seat_id IS DISTINCT FROM t.seat_ref
ORDER BY t.id
"""

_TAKEN_BACK = """
SELECT t.id FROM wallets_transfer t
LEFT JOIN tables_slipwithdrawal w ON w.transfer_id = t.id
LEFT JOIN wallets_transfer stake ON stake.id = w.slip_id
WHERE t.reason = 'bet_taken_back' AND (stake.id IS NULL OR stake.amount_cents <> t.amount_cents
  OR w.taken_back_at <> t.created_at
  OR stake.debit_id <> t.credit_id OR stake.credit_id <> t.debit_id
  OR stake.round_ref IS DISTINCT FROM t.round_ref OR stake.seat_ref IS DISTINCT FROM t.seat_ref
  OR stake.player_day IS DISTINCT FROM t.player_day)
ORDER BY t.id
"""

# Money by round: what the transfers say against what the round's totals say, reason by reason. A round that is not
# settled has no totals, and nothing is paid for it.
_ROUND_MONEY = f"""
SELECT r.id, r.state, COALESCE(n.staked_cents, 0), COALESCE(m.staked, 0)
FROM tables_gameround r
LEFT JOIN tables_roundtotals n ON n.game_round_id = r.id
LEFT JOIN (
  SELECT round_ref,
    sum(CASE reason WHEN 'stake' THEN amount_cents WHEN 'bet_taken_back' THEN -amount_cents ELSE 0 END) AS staked,
    sum(CASE WHEN reason = 'stake_returned' THEN amount_cents ELSE 0 END) AS returned,
    sum(CASE WHEN reason = 'prize' THEN amount_cents ELSE 0 END) AS prize,
    sum(CASE WHEN reason = 'half_back' THEN amount_cents ELSE 0 END) AS half_back,
    sum(CASE WHEN reason = 'stake_lost' THEN amount_cents ELSE 0 END) AS lost
  FROM wallets_transfer WHERE round_ref IS NOT NULL GROUP BY round_ref
) m ON m.round_ref = r.id
LEFT JOIN (
  SELECT b.game_round_id, count(*) AS bets FROM tables_bet b WHERE {_LIVE} GROUP BY b.game_round_id
) c ON c.game_round_id = r.id
JOIN tables_table t ON t.id = r.table_id
WHERE (r.state = 'settled' AND (
  n.game_round_id IS NULL OR n.unit <> t.unit OR n.bets <> COALESCE(c.bets, 0)
  OR n.staked_cents <> COALESCE(m.staked, 0)
  OR n.stake_returned_cents <> COALESCE(m.returned, 0)
  OR n.prize_cents <> COALESCE(m.prize, 0) OR n.half_back_cents <> COALESCE(m.half_back, 0)
  OR n.lost_cents <> COALESCE(m.lost, 0)
)) OR (r.state <> 'settled' AND (
  n.game_round_id IS NOT NULL OR COALESCE(m.returned, 0) + COALESCE(m.prize, 0) + COALESCE(m.half_back, 0)
  + COALESCE(m.lost, 0) <> 0
)) ORDER BY r.id
"""

# A void round gives every stake that stood back, and no other round does (rules 22 to 25).
_VOID_REFUNDS = f"""
SELECT round_id, account_id, sum(due), sum(paid) FROM (
  SELECT b.game_round_id AS round_id, b.account_id, b.stake_cents AS due, 0 AS paid
  FROM tables_bet b JOIN tables_gameround r ON r.id = b.game_round_id WHERE r.state = 'void' AND {_LIVE}
  UNION ALL
  SELECT round_ref, credit_id, 0, amount_cents FROM wallets_transfer WHERE reason = 'void_refund'
) AS sides GROUP BY round_id, account_id HAVING sum(due) <> sum(paid) ORDER BY round_id, account_id
"""

# What each player was paid for a round against the outcomes of his bets.
_PAID = """
SELECT round_id, account_id, sum(due), sum(paid) FROM (
  SELECT o.game_round_id AS round_id, b.account_id, o.returned_cents AS due, 0 AS paid
  FROM tables_betoutcome o JOIN tables_bet b ON b.id = o.bet_id
  UNION ALL
  SELECT round_ref, credit_id, 0, amount_cents FROM wallets_transfer
  WHERE reason IN ('stake_returned', 'prize', 'half_back')
) AS sides GROUP BY round_id, account_id HAVING sum(due) <> sum(paid) ORDER BY round_id, account_id
"""


CHECKS = (
    Check(
        "in_play",
        "in play equals the stakes of undecided bets, table by table",
        lambda: differences(_IN_PLAY, [], "table {0}: in play holds {1} cents, on the cloth stand {2}"),
    ),
    Check(
        "slips",
        "every stake that moved is a slip with its bets",
        lambda: differences(_SLIPS, [], "transfer {0}: {1} cents moved, the slip's bets come to {2}"),
    ),
    Check(
        "taken_back",
        "every slip taken back returned exactly its stake",
        lambda: differences(_TAKEN_BACK, [], "transfer {0} does not undo a slip's stake exactly"),
    ),
    Check(
        "round_money",
        "every settled round's transfers equal its totals, and nothing is paid for another",
        lambda: differences(
            _ROUND_MONEY, [], "round {0} ({1}): its totals ({2} cents staked) and its transfers ({3}) differ"
        ),
    ),
    Check(
        "void_refunds",
        "every void round gave every stake back",
        lambda: differences(
            _VOID_REFUNDS, [], "round {0}, account {1}: stakes of {2} cents were void, {3} were refunded"
        ),
    ),
    Check(
        "paid",
        "every player was paid the outcomes of his bets",
        lambda: differences(_PAID, [], "round {0}, account {1}: outcomes come to {2} cents, {3} were paid"),
    ),
)
