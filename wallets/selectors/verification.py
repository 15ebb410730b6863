"""The proofs of the ledger."""

import datetime as dt
from collections.abc import Iterator, Mapping

from django.db import connection
from django.db.models import Max, Min

from roulette_site.common.verification import Check, differences
from wallets.models import AccountKind, AccountSnapshot, Reason
from wallets.selectors.gates import find_wrong_gates

_K = AccountKind
# From which kind of account to which each reason moves money. A correction may undo any of them.
FLOWS: Mapping[Reason, tuple[tuple[AccountKind, AccountKind], ...]] = {
    # What comes and cannot be credited stands in suspense.
    Reason.DEPOSIT: ((_K.BANK, _K.WALLET), (_K.BANK, _K.SUSPENSE)),
    # At once, or by way of the withdrawals pending.
    Reason.WITHDRAWAL: ((_K.WALLET, _K.BANK), (_K.WALLET, _K.PENDING), (_K.PENDING, _K.BANK)),
    Reason.STAKE: ((_K.WALLET, _K.IN_PLAY), (_K.CHIPS, _K.IN_PLAY)),
    Reason.BET_TAKEN_BACK: ((_K.IN_PLAY, _K.WALLET), (_K.IN_PLAY, _K.CHIPS)),
    Reason.STAKE_RETURNED: ((_K.IN_PLAY, _K.WALLET), (_K.IN_PLAY, _K.CHIPS)),
    Reason.PRIZE: ((_K.HOUSE, _K.WALLET), (_K.HOUSE, _K.CHIPS)),
    Reason.HALF_BACK: ((_K.IN_PLAY, _K.WALLET), (_K.IN_PLAY, _K.CHIPS)),
    Reason.STAKE_LOST: ((_K.IN_PLAY, _K.HOUSE),),
    Reason.VOID_REFUND: ((_K.IN_PLAY, _K.WALLET), (_K.IN_PLAY, _K.CHIPS)),
    # Lent where a correction is more than the wallet holds, and paid back by the player.
    Reason.RECEIVABLE: ((_K.RECEIVABLE, _K.WALLET), (_K.WALLET, _K.RECEIVABLE)),
    Reason.ADJUSTMENT: ((_K.HOUSE, _K.WALLET), (_K.WALLET, _K.HOUSE), (_K.SUSPENSE, _K.WALLET)),
    Reason.CHIPS_OUT: ((_K.WALLET, _K.CHIPS),),
    Reason.CHIPS_IN: ((_K.CHIPS, _K.WALLET),),
    Reason.TIP: ((_K.CHIPS, _K.TIPS), (_K.WALLET, _K.TIPS)),
    # Colour chips that were given are changed into chips of value, and the change goes back.
    Reason.TIP_CHANGE: ((_K.TIPS, _K.FLOAT), (_K.FLOAT, _K.TIPS)),
    Reason.FLOAT_OPEN: ((_K.HOUSE, _K.FLOAT),),
    Reason.FLOAT_ADVANCE: ((_K.HOUSE, _K.FLOAT),),
    Reason.FLOAT_CLOSE: ((_K.FLOAT, _K.HOUSE),),
}

BALANCES = """
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
WHERE t.reason = 'correction' AND (
  t.debit_id <> f.credit_id OR t.credit_id <> f.debit_id OR t.amount_cents > f.amount_cents
)
UNION ALL
SELECT f.id FROM wallets_transfer f JOIN wallets_transfer t ON t.corrects_id = f.id
WHERE t.reason = 'correction' GROUP BY f.id, f.amount_cents HAVING sum(t.amount_cents) > f.amount_cents
ORDER BY 1
"""

# A player pays back what he owes, and never more.
_RECEIVABLES = """
SELECT a.id, COALESCE(d.total, 0) - COALESCE(c.total, 0) FROM wallets_account a
LEFT JOIN (SELECT debit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY debit_id) d ON d.debit_id = a.id
LEFT JOIN (SELECT credit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY credit_id) c
  ON c.credit_id = a.id
WHERE a.kind = 'receivable' AND COALESCE(d.total, 0) < COALESCE(c.total, 0) ORDER BY a.id
"""

# What a request's state says has moved, and nothing else.
REQUESTS = """
SELECT r.id, r.state FROM wallets_cashrequest r
JOIN wallets_account a ON a.id = r.account_id
LEFT JOIN wallets_transfer h ON h.id = r.held_id
LEFT JOIN wallets_account ha ON ha.id = h.credit_id
LEFT JOIN wallets_transfer m ON m.id = r.moved_id
LEFT JOIN wallets_account md ON md.id = m.debit_id
LEFT JOIN wallets_account mc ON mc.id = m.credit_id
LEFT JOIN wallets_transfer b ON b.id = r.returned_id
LEFT JOIN (SELECT request_id, max(id) AS id FROM wallets_cashstep GROUP BY request_id) l ON l.request_id = r.id
LEFT JOIN wallets_cashstep s ON s.id = l.id
WHERE a.kind <> 'wallet' OR a.unit <> r.unit OR s.to_state IS NULL OR s.to_state <> r.state
  OR (r.kind = 'withdrawal' AND (h.id IS NULL OR h.amount_cents <> r.amount_cents OR h.debit_id <> r.account_id
    OR h.reason <> 'withdrawal' OR ha.kind <> 'pending'))
  OR ((r.state IN ('confirmed', 'paid')) <> (m.id IS NOT NULL))
  OR (m.id IS NOT NULL AND m.amount_cents <> r.amount_cents)
  OR (m.id IS NOT NULL AND r.kind = 'deposit'
    AND (m.credit_id <> r.account_id OR m.reason <> 'deposit' OR md.kind <> 'bank'))
  OR (m.id IS NOT NULL AND r.kind = 'withdrawal'
    AND (m.reason <> 'withdrawal' OR md.kind <> 'pending' OR mc.kind <> 'bank'))
  OR ((r.state = 'refused') <> (b.id IS NOT NULL))
  OR (b.id IS NOT NULL AND (b.corrects_id <> r.held_id OR b.amount_cents <> r.amount_cents))
ORDER BY r.id
"""

# Withdrawals pending hold what was taken for requests that have no outcome, and nothing else.
_PENDING = """
SELECT a.id, COALESCE(c.total, 0) - COALESCE(d.total, 0), COALESCE(w.total, 0)
FROM wallets_account a
LEFT JOIN (SELECT credit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY credit_id) c
  ON c.credit_id = a.id
LEFT JOIN (SELECT debit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY debit_id) d ON d.debit_id = a.id
LEFT JOIN (
  SELECT unit, sum(amount_cents) AS total FROM wallets_cashrequest
  WHERE kind = 'withdrawal' AND state NOT IN ('paid', 'refused') GROUP BY unit
) w ON w.unit = a.unit
WHERE a.kind = 'pending' AND COALESCE(c.total, 0) - COALESCE(d.total, 0) <> COALESCE(w.total, 0) ORDER BY a.id
"""

# Money came into suspense by a notice, in the amount that it tells; every notice that is not plain is a finding.
_NOTICES = """
SELECT t.id, 0 FROM wallets_transfer t
JOIN wallets_account c ON c.id = t.credit_id AND c.kind = 'suspense'
LEFT JOIN wallets_providernotice n ON n.suspended_id = t.id
WHERE t.reason = 'deposit' AND (n.id IS NULL OR n.amount_cents <> t.amount_cents OR n.unit <> t.unit)
UNION ALL
SELECT 0, n.id FROM wallets_providernotice n
WHERE n.verdict NOT IN ('applied', 'known')
  AND NOT EXISTS (SELECT 1 FROM wallets_finding f WHERE f.notice_id = n.id)
ORDER BY 1, 2
"""

# One day: what its snapshots say against those of the day before and the transfers between.
_SNAPSHOTS_OF_DAY = """
SELECT a.id, COALESCE(s.balance_cents, 0), COALESCE(p.balance_cents, 0) + COALESCE(m.moved, 0)
FROM wallets_account a
LEFT JOIN wallets_accountsnapshot s ON s.account_id = a.id AND s.gaming_day = %(day)s
LEFT JOIN wallets_accountsnapshot p ON p.account_id = a.id AND p.gaming_day = %(before)s
LEFT JOIN (
  SELECT account_id, sum(amount) AS moved FROM (
    SELECT credit_id AS account_id, amount_cents AS amount FROM wallets_transfer WHERE id > %(after)s AND id <= %(last)s
    UNION ALL
    SELECT debit_id, -amount_cents FROM wallets_transfer WHERE id > %(after)s AND id <= %(last)s
  ) AS sides GROUP BY account_id
) m ON m.account_id = a.id
WHERE a.balance_cents IS NULL AND (s.id IS NOT NULL OR p.id IS NOT NULL OR m.account_id IS NOT NULL)
  AND (s.id IS NULL OR s.balance_cents <> COALESCE(p.balance_cents, 0) + COALESCE(m.moved, 0))
ORDER BY a.id
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
    for reason, ways in FLOWS.items():
        for debit, credit in ways:
            parts.append("(t.reason = %s AND d.kind = %s AND c.kind = %s)")
            parameters += [str(reason), str(debit), str(credit)]
    return differences(
        _KINDS.format(flows=" OR ".join(parts)), parameters, "transfer {0}: a {1} cannot go from {2} to {3}"
    )


def _snapshots() -> Iterator[str]:
    """Day by day, each from the day before and the transfers between: every transfer is read once."""
    days = (
        AccountSnapshot.objects.order_by("gaming_day")
        .values_list("gaming_day")
        .annotate(first=Min("last_transfer_id"), last=Max("last_transfer_id"))
    )
    before, after = None, 0
    for day, first, last in days:
        if first != last:
            yield f"snapshots of {day}: they end at different transfers"
        if before is not None and day - before != dt.timedelta(days=1):
            yield f"snapshots of {day}: those of the day before are missing"
        if last < after:
            yield f"snapshots of {day}: they end before those of the day before"
        adapt = connection.ops.adapt_datefield_value
        yield from differences(
            _SNAPSHOTS_OF_DAY,
            {"day": adapt(day), "before": adapt(before), "after": after, "last": last},
            f"account {{0}} on {day}: the snapshot is {{1}} cents, its transfers come to {{2}}",
        )
        before, after = day, last


CHECKS = (
    Check(
        "balances",
        "every balance equals its transfers",
        lambda: differences(BALANCES, [], "account {0}: the balance is {1} cents, its transfers come to {2}"),
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
    Check(
        "receivables",
        "nobody has paid back more than he owes",
        lambda: differences(_RECEIVABLES, [], "account {0}: more was paid back than is owed, by {1} cents"),
    ),
    Check(
        "cash_requests",
        "every cash request has moved what its state says, and nothing else",
        lambda: differences(REQUESTS, [], "cash request {0} ({1}): its transfers are not what its state says"),
    ),
    Check(
        "pending",
        "withdrawals pending are what players wait for",
        lambda: differences(_PENDING, [], "account {0}: it holds {1} cents, withdrawals without an outcome are {2}"),
    ),
    Check(
        "notices",
        "money in suspense came by a notice, and every notice out of the ordinary is a finding",
        lambda: differences(_NOTICES, [], "transfer {0}, notice {1}: money in suspense and notices do not agree"),
    ),
    Check("snapshots", "every snapshot of a gaming day equals its transfers", _snapshots),
    Check("flows", "every transfer goes from and to the kinds of account of its reason", _flows),
)
