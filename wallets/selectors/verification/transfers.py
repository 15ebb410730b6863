"""The proofs of the ledger: balances, units, corrections, days, snapshots, and which way each reason goes."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping

from django.db import connection
from django.db.models import Max, Min

from roulette_site.common.guards.watches import GAME_REASONS
from roulette_site.common.verification import Check, differences
from wallets.models import AccountKind, AccountSnapshot, Reason

_K = AccountKind

# From which kind of account to which each reason moves money. A correction may undo any of them.
FLOWS: Mapping[Reason, tuple[tuple[AccountKind, AccountKind], ...]] = {
    # What comes and cannot be credited stands in suspense.
    Reason.DEPOSIT: ((_K.BANK, _K.WALLET), (_K.BANK, _K.SUSPENSE), (_K.SUSPENSE, _K.WALLET)),
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
SELECT a.id, COALESCE(a.balance_cents, 0), COALESCE(c.total, 0) - COALESCE(d.total, 0)
FROM wallets_account a
LEFT JOIN (SELECT credit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY credit_id) c
  ON c.credit_id = a.id
LEFT JOIN (SELECT debit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY debit_id) d
  ON d.debit_id = a.id
WHERE a.kind IN ('wallet', 'chips')
  AND a.balance_cents IS DISTINCT FROM COALESCE(c.total, 0) - COALESCE(d.total, 0)
ORDER BY a.id
"""

# A CHECK holds it, which whoever owns the database can turn off.
_ACCOUNTS = """
SELECT a.id, a.kind FROM wallets_account a
WHERE (a.kind IN ('wallet', 'chips')) <> (a.balance_cents IS NOT NULL)
  OR (a.kind IN ('wallet', 'chips', 'receivable')) <> (a.player_id IS NOT NULL) OR a.balance_cents < 0 ORDER BY a.id
"""

# Who moves money as a player moves his own.
_ACTORS = """
SELECT t.id, t.actor FROM wallets_transfer t
JOIN wallets_account d ON d.id = t.debit_id JOIN wallets_account c ON c.id = t.credit_id
WHERE substr(t.actor, 1, 7) = 'player:' AND t.actor <> 'player:' || COALESCE(d.player_id, c.player_id, 0)
ORDER BY t.id
"""

# A bet is placed and taken back by the player or by a system that has a key, and all else in the game the house does.
_ACTORS_OF_THE_GAME = f"""
SELECT t.id, t.actor FROM wallets_transfer t LEFT JOIN wallets_apikey k ON t.actor = 'api:' || k.prefix
WHERE t.reason IN ({", ".join(map(repr, GAME_REASONS))}) AND t.actor <> 'system' AND k.id IS NULL
  AND substr(t.actor, 1, 7) <> 'player:'
UNION ALL
SELECT t.id, t.actor FROM wallets_transfer t WHERE t.reason IN ('stake', 'bet_taken_back') AND t.actor = 'system'
UNION ALL
SELECT t.id, t.actor FROM wallets_transfer t
WHERE t.reason IN ('stake_returned', 'prize', 'half_back', 'stake_lost', 'void_refund') AND t.actor <> 'system'
ORDER BY 1
"""

# A movement that the game does not make, and what is on record of it.
_ON_RECORD = f"""
SELECT t.id, t.debit_id, t.credit_id, t.amount_cents, t.unit, t.reason, t.actor, e.actor, e.after
FROM wallets_transfer t JOIN common_auditentry e
  ON e.subject_kind = 'transfer' AND e.subject_id = CAST(t.id AS varchar(60)) AND e.act = 'money_moved'
WHERE t.reason NOT IN ({", ".join(map(repr, GAME_REASONS))}) ORDER BY t.id
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


def _player_days() -> Iterator[str]:
    yield from differences(_DAYS, [], "account {0}: its transfers of {1} come to something else than its day says")
    yield from differences(_WITHOUT_A_DAY, [], "transfer {0} counts in no day of its player")


def _moved() -> Iterator[str]:
    yield from differences(_ACTORS, [], "transfer {0} is said to be {1}'s, who has no part in it")
    yield from differences(_ACTORS_OF_THE_GAME, [], "transfer {0} is said to be {1}'s, who does not move money so")
    with connection.cursor() as cursor:
        cursor.execute(_ON_RECORD)
        while rows := cursor.fetchmany(500):
            for transfer_id, debit, credit, cents, unit, reason, actor, said_actor, said in rows:
                moved = {"debit": debit, "credit": credit, "amount_cents": cents, "unit": unit, "reason": reason}
                if (actor, moved) != (said_actor, said if isinstance(said, dict) else json.loads(said)):
                    yield f"transfer {transfer_id} is not the movement that is on record"


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
        "accounts",
        "every account of a player's has a player, every one that is played from a balance, and no other has",
        lambda: differences(_ACCOUNTS, [], "account {0}: a {1} has no player or balance, or has one and should not"),
    ),
    Check("moved", "players move their own money, and what the game does not move is what is on record", _moved),
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
        "receivables",
        "nobody has paid back more than he owes",
        lambda: differences(_RECEIVABLES, [], "account {0}: more was paid back than is owed, by {1} cents"),
    ),
    Check("snapshots", "every snapshot of a gaming day equals its transfers", _snapshots),
    Check("flows", "every transfer goes from and to the kinds of account of its reason", _flows),
)
