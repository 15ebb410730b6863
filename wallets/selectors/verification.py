"""The proofs of the ledger."""

from collections.abc import Iterator

from roulette_site.common.verification import Check, differences
from wallets.models import AccountKind, Reason
from wallets.selectors.gates import find_wrong_gates

_K = AccountKind
# From which kind of account to which each reason moves money. A correction may undo any of them.
FLOWS: dict[Reason, tuple[AccountKind, AccountKind]] = {
    Reason.DEPOSIT: (_K.BANK, _K.WALLET),
    Reason.WITHDRAWAL: (_K.WALLET, _K.BANK),
    Reason.STAKE: (_K.WALLET, _K.IN_PLAY),
    Reason.BET_TAKEN_BACK: (_K.IN_PLAY, _K.WALLET),
    Reason.STAKE_RETURNED: (_K.IN_PLAY, _K.WALLET),
    Reason.PRIZE: (_K.HOUSE, _K.WALLET),
    Reason.HALF_BACK: (_K.IN_PLAY, _K.WALLET),
    Reason.STAKE_LOST: (_K.IN_PLAY, _K.HOUSE),
    Reason.VOID_REFUND: (_K.IN_PLAY, _K.WALLET),
}

_BALANCES = """
SELECT a.id, a.balance_cents, COALESCE(c.total, 0) - COALESCE(d.total, 0)
FROM wallets_account a
LEFT JOIN (SELECT credit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY credit_id) c
  ON c.credit_id = a.id
LEFT JOIN (SELECT debit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY debit_id) d
  ON d.debit_id = a.id
WHERE a.balance_cents IS NOT NULL AND a.balance_cents <> COALESCE(c.total, 0) - COALESCE(d.total, 0)
ORDER BY a.id
"""

_UNITS = """
SELECT t.id FROM wallets_transfer t
JOIN wallets_account d ON d.id = t.debit_id JOIN wallets_account c ON c.id = t.credit_id
WHERE d.unit <> t.unit OR c.unit <> t.unit OR d.player_id <> c.player_id ORDER BY t.id
"""

_KINDS = """
SELECT t.id, t.reason, d.kind, c.kind
FROM wallets_transfer t JOIN wallets_account d ON d.id = t.debit_id JOIN wallets_account c ON c.id = t.credit_id
WHERE t.reason <> 'correction' AND NOT ({flows}) ORDER BY t.id
"""


_CORRECTIONS = """
SELECT t.id FROM wallets_transfer t JOIN wallets_transfer f ON f.id = t.corrects_id
WHERE t.debit_id <> f.credit_id OR t.credit_id <> f.debit_id OR t.amount_cents > f.amount_cents ORDER BY t.id
"""


# What the transfers that name a day come to, beside what the day's row says; a row or a sum alone is a difference too.
_DAYS = """
WITH counted AS (
  SELECT account_id, day, sum(deposited) AS deposited, sum(staked) AS staked, sum(returned) AS returned FROM (
    SELECT credit_id AS account_id, player_day AS day,
      CASE WHEN reason = 'deposit' THEN amount_cents ELSE 0 END AS deposited,
      CASE WHEN reason IN ('bet_taken_back', 'void_refund') THEN -amount_cents ELSE 0 END AS staked,
      CASE WHEN reason IN ('stake_returned', 'prize', 'half_back') THEN amount_cents ELSE 0 END AS returned
    FROM wallets_transfer WHERE player_day IS NOT NULL AND reason <> 'stake'
    UNION ALL
    SELECT debit_id, player_day, 0, amount_cents, 0 FROM wallets_transfer
    WHERE player_day IS NOT NULL AND reason = 'stake'
  ) AS each_transfer GROUP BY account_id, day
)
SELECT c.account_id, c.day FROM counted c
LEFT JOIN wallets_playerday d ON d.account_id = c.account_id AND d.day = c.day
WHERE d.id IS NULL OR d.deposited_cents <> c.deposited OR d.staked_cents <> c.staked OR d.returned_cents <> c.returned
UNION ALL
SELECT d.account_id, d.day FROM wallets_playerday d
WHERE (d.deposited_cents > 0 OR d.staked_cents > 0 OR d.returned_cents > 0) AND NOT EXISTS (
  SELECT 1 FROM counted c WHERE c.account_id = d.account_id AND c.day = d.day
) ORDER BY 1, 2
"""

# Money of a player's that his limits count names the day of its calendar, but for what is older than the calendar.
_WITHOUT_A_DAY = """
SELECT t.id FROM wallets_transfer t JOIN wallets_account a ON a.id IN (t.debit_id, t.credit_id)
WHERE a.player_id IS NOT NULL AND t.unit = 'EUR' AND t.player_day IS NULL
  AND t.reason IN ('deposit', 'stake', 'stake_returned', 'prize', 'half_back')
  AND t.id > (SELECT COALESCE(min(d.id), t.id) FROM wallets_transfer d WHERE d.player_day IS NOT NULL)
ORDER BY t.id
"""

_STANDING = """
WITH changes AS (
  SELECT c.*, lag(c.after) OVER (PARTITION BY c.player_id, c.field ORDER BY c.id) AS was,
    lead(c.id) OVER (PARTITION BY c.player_id, c.field ORDER BY c.id) AS next_id FROM wallets_standingchange c
), says (player_id, field, now, first) AS (
  SELECT id, 'kyc_state', kyc_state, 'unverified' FROM wallets_player
  UNION ALL SELECT id, 'standing', standing, 'active' FROM wallets_player
  UNION ALL SELECT id, 'is_restricted', CASE WHEN is_restricted THEN 'true' ELSE 'false' END, 'false'
    FROM wallets_player
)
SELECT s.player_id, s.field FROM says s LEFT JOIN changes c
  ON c.player_id = s.player_id AND c.field = s.field AND c.next_id IS NULL
WHERE s.now <> COALESCE(c.after, s.first)
UNION SELECT c.player_id, c.field FROM changes c JOIN says s ON s.player_id = c.player_id AND s.field = c.field
WHERE c.before <> COALESCE(c.was, s.first) ORDER BY 1, 2
"""

# What the triggers refuse, proved once more from the rows.
_LIMITS = """
WITH steps AS (
  SELECT l.*, lag(l.value) OVER w AS was, lag(l.id) OVER w AS row_before FROM wallets_limit l
  WINDOW w AS (PARTITION BY l.player_id, l.side, l.kind, l.period ORDER BY l.id)
)
SELECT s.id FROM steps s LEFT JOIN wallets_loosening w ON w.id = s.loosening_id
WHERE (s.side = 'player' AND s.actor <> 'player:' || s.player_id)
  OR (s.was IS NOT NULL AND (s.value IS NULL OR s.value > s.was) AND (
    (s.side = 'operator' AND s.second_actor IN ('', s.actor))
    OR (s.side = 'player' AND (w.id IS NULL OR w.player_id <> s.player_id OR w.kind <> s.kind OR w.period <> s.period
      OR w.departs_from_id <> s.row_before OR COALESCE(w.value, -1) <> COALESCE(s.value, -1)
      OR s.set_at < w.confirmable_at OR s.set_at >= w.lapses_at))
  )) ORDER BY s.id
"""


def _player_days() -> Iterator[str]:
    yield from differences(_DAYS, [], "account {0}: its transfers of {1} come to something else than its day says")
    yield from differences(_WITHOUT_A_DAY, [], "transfer {0} counts in no day of its player")


def _flows() -> Iterator[str]:
    parts, parameters = [], []
    for reason, (debit, credit) in FLOWS.items():
        parts.append("(t.reason = %s AND d.kind = %s AND c.kind = %s)")
        parameters += [str(reason), str(debit), str(credit)]
    return differences(
        _KINDS.format(flows=" OR ".join(parts)), parameters, "transfer {0}: a {1} cannot go from {2} to {3}"
    )


CHECKS = (
    Check(
        "balances",
        "every balance equals its transfers",
        lambda: differences(_BALANCES, [], "account {0}: the balance is {1} cents, its transfers come to {2}"),
    ),
    Check(
        "units",
        "no transfer joins two units or two players",
        lambda: differences(_UNITS, [], "transfer {0} joins two units or two players"),
    ),
    Check(
        "corrections",
        "every correction undoes the transfer that it names, or a part of it",
        lambda: differences(
            _CORRECTIONS, [], "transfer {0} goes another way than the one that it corrects, or further"
        ),
    ),
    Check("player_days", "every day of a player is what his transfers of that day come to", _player_days),
    Check(
        "standing",
        "every player is in the states that the decisions on record have led to",
        lambda: differences(_STANDING, [], "player {0}: {1} is not what was decided last, or a decision is missing"),
    ),
    Check(
        "player_limits",
        "no limit was loosened but by the player after a day, or by two people of the operator",
        lambda: differences(_LIMITS, [], "limit {0} is looser than it may be"),
    ),
    Check("gates", "every wallet is barred and limited as its player's rows say", find_wrong_gates),
    Check("flows", "every transfer goes from and to the kinds of account of its reason", _flows),
)
