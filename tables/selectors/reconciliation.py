"""Rounds for the nightly reconciling: what the ledger moved for each against its bets and their results.

Of the last days alone: whoever tampers with an older round is found by `verify`, which reads them all.
"""

import datetime as dt
from collections.abc import Iterator

from django.db import connection

from tables.models import GameRound
from wallets.models import FindingKind
from wallets.selectors.discrepancies import Discrepancy

ROUNDS_OF = dt.timedelta(days=8)

# Stakes that stand: what was placed and not taken back, and of a void round nothing. A round that is not settled has
# paid nothing, and its bets have no outcome.
_ROUNDS = """
SELECT r.id, t.unit, r.state, COALESCE(m.staked, 0), COALESCE(b.staked, 0), COALESCE(m.returned, 0),
  COALESCE(o.returned, 0)
FROM tables_gameround r
JOIN tables_table t ON t.id = r.table_id
LEFT JOIN (
  SELECT round_ref,
    sum(CASE WHEN reason = 'stake' THEN amount_cents WHEN reason IN ('bet_taken_back', 'void_refund') THEN -amount_cents
      ELSE 0 END) AS staked,
    sum(CASE WHEN reason IN ('stake_returned', 'prize', 'half_back') THEN amount_cents ELSE 0 END) AS returned
  FROM wallets_transfer WHERE round_ref > %(after)s GROUP BY round_ref
) m ON m.round_ref = r.id
LEFT JOIN (
  SELECT b.game_round_id, sum(CASE WHEN g.state = 'void' THEN 0 ELSE b.stake_cents END) AS staked
  FROM tables_bet b JOIN tables_gameround g ON g.id = b.game_round_id
  WHERE b.game_round_id > %(after)s
    AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)
  GROUP BY b.game_round_id
) b ON b.game_round_id = r.id
LEFT JOIN (
  SELECT game_round_id, sum(returned_cents) AS returned FROM tables_betoutcome WHERE game_round_id > %(after)s
  GROUP BY game_round_id
) o ON o.game_round_id = r.id
WHERE r.id > %(after)s AND (COALESCE(m.staked, 0) <> COALESCE(b.staked, 0)
  OR COALESCE(m.returned, 0) <> COALESCE(o.returned, 0))
ORDER BY r.id
"""


def find_round_discrepancies(*, at: dt.datetime) -> Iterator[Discrepancy]:
    """Yield each round of the last days whose stakes or returns in the ledger are not those of its bets."""
    # Rounds are opened in the order of their ids: from the end it is not far to the first that is too old.
    older = GameRound.objects.filter(opened_at__lt=at - ROUNDS_OF).order_by("-id").values_list("id", flat=True).first()
    with connection.cursor() as cursor:
        cursor.execute(_ROUNDS, {"after": older or 0})
        while rows := cursor.fetchmany(500):
            for round_id, unit, state, staked, bets, returned, results in rows:
                for kind, moved, due, words in (
                    (FindingKind.ROUND_STAKES, staked, bets, "stakes, its bets"),
                    (FindingKind.ROUND_RETURNS, returned, results, "returns, its results"),
                ):
                    if moved != due:
                        yield Discrepancy(
                            kind,
                            f"round:{round_id}:{moved - due}",
                            f"Round {round_id} ({state}): the ledger has {moved} cents of {words} come to {due}.",
                            int(moved - due),
                            unit,
                        )
