"""The proofs of the cash desk: requests, withdrawals and what the provider told."""

from collections.abc import Iterator

from roulette_site.common.verification import Check, differences

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
  OR (substr(r.created_by, 1, 7) = 'player:' AND r.created_by <> 'player:' || a.player_id)
  OR ((r.state IN ('confirmed', 'paid')) <> (m.id IS NOT NULL))
  OR (m.id IS NOT NULL AND m.amount_cents <> r.amount_cents)
  OR (m.id IS NOT NULL AND r.kind = 'deposit'
    AND (m.credit_id <> r.account_id OR m.reason <> 'deposit' OR md.kind NOT IN ('bank', 'suspense')))
  OR (m.id IS NOT NULL AND r.kind = 'withdrawal'
    AND (m.reason <> 'withdrawal' OR md.kind <> 'pending' OR mc.kind <> 'bank'))
  OR ((r.state = 'refused') <> (b.id IS NOT NULL))
  OR (b.id IS NOT NULL AND (b.corrects_id IS DISTINCT FROM r.held_id OR b.amount_cents <> r.amount_cents))
ORDER BY r.id
"""

# A withdrawal goes to an address of its own player. Those older than the first such address have none.
_PAYOUTS = """
SELECT r.id FROM wallets_cashrequest r
JOIN wallets_account a ON a.id = r.account_id
LEFT JOIN wallets_payoutaddress p ON p.id = r.payout_address_id
WHERE r.kind = 'withdrawal' AND (
  (p.id IS NULL AND r.refund_of_id IS NULL
    AND r.id > (SELECT min(id) FROM wallets_cashrequest WHERE payout_address_id IS NOT NULL))
  OR (p.id IS NOT NULL AND (p.player_id IS DISTINCT FROM a.player_id OR p.set_at > r.created_at
    OR (p.erased_at IS NULL AND p.masked <> r.payout_to)))
) ORDER BY r.id
"""

# Back the way it came goes no more than came, to the same player; what was refused did not go, and what had been
# corrected by then was not there any more. A correction may come later: who has been paid back can still claim it.
_REFUNDS = """
SELECT d.id FROM wallets_cashrequest d JOIN wallets_cashrequest r ON r.refund_of_id = d.id
GROUP BY d.id, d.kind, d.state, d.amount_cents, d.account_id
HAVING d.kind <> 'deposit' OR d.state <> 'confirmed' OR min(r.account_id) <> d.account_id
  OR max(r.account_id) <> d.account_id
  OR sum(CASE WHEN r.state = 'refused' THEN 0 ELSE r.amount_cents END) > d.amount_cents
UNION SELECT d.id FROM wallets_cashrequest d JOIN wallets_cashrequest r ON r.refund_of_id = d.id
WHERE r.state <> 'refused' AND d.amount_cents <
  (SELECT sum(o.amount_cents) FROM wallets_cashrequest o
    WHERE o.refund_of_id = d.id AND o.state <> 'refused' AND o.id <= r.id)
  + COALESCE((SELECT sum(c.amount_cents) FROM wallets_transfer c
    WHERE c.corrects_id = d.moved_id AND c.reason = 'correction' AND c.id < r.held_id), 0)
ORDER BY 1
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

# What was made of a notice is what has become of the request that it names: a notice that is said to have been applied,
# and was not, would swallow the real one as told before. Money came into suspense by just those that say so.
_VERDICTS = """
SELECT n.id, n.verdict FROM wallets_providernotice n
LEFT JOIN wallets_cashrequest r ON r.id = n.request_id
LEFT JOIN wallets_transfer m ON m.id = r.moved_id
WHERE (n.verdict = 'unknown_request') <> (n.request_id IS NULL)
  OR (n.suspended_id IS NOT NULL) <> (n.verdict NOT IN ('applied', 'known', 'wrong_unit')
    AND n.kind = 'deposit' AND n.outcome = 'paid' AND n.unit = 'EUR')
  OR (r.id IS NOT NULL AND (
    r.kind <> n.kind OR r.provider <> n.provider OR (n.verdict = 'wrong_unit') <> (n.unit <> r.unit)
    OR n.our_reference <> (CASE r.kind WHEN 'deposit' THEN 'D' ELSE 'W' END) || r.id
    OR (n.verdict IN ('applied', 'not_permitted') AND n.amount_cents <> r.amount_cents)
    OR (n.verdict = 'wrong_amount' AND n.amount_cents = r.amount_cents)
    OR (n.verdict = 'applied' AND (r.decided_at IS DISTINCT FROM n.received_at
      OR (r.provider_reference IS NULL AND NOT EXISTS (SELECT 1 FROM wallets_cashrequest o
        WHERE o.provider = n.provider AND o.provider_reference = n.reference))
      OR (m.id IS NOT NULL AND (m.created_at <> n.received_at OR m.actor <> n.actor))))
    OR (n.verdict IN ('known', 'contradicts', 'applied') AND n.outcome = 'refused'
      AND (n.verdict = 'contradicts') <> (r.state IN ('confirmed', 'paid')))
    OR (n.verdict IN ('known', 'contradicts', 'applied', 'paid_twice') AND r.state NOT IN
      ('confirmed', 'paid', 'failed', 'refused'))
    OR (n.verdict = 'known' AND n.outcome = 'paid')
    OR (n.verdict = 'contradicts' AND n.outcome = 'paid' AND r.state <> 'refused')
    OR (n.verdict = 'applied' AND n.outcome = 'paid' AND r.state NOT IN ('confirmed', 'paid'))
    OR (n.verdict = 'paid_twice' AND (n.outcome <> 'paid' OR r.state NOT IN ('confirmed', 'paid')))
    OR (n.verdict IN ('late', 'not_permitted')
      AND (n.kind <> 'deposit' OR n.outcome <> 'paid' OR r.state <> 'failed'))
    OR (n.verdict = 'wrong_amount' AND n.kind = 'deposit' AND n.outcome = 'paid' AND r.state <> 'failed')
    OR (n.verdict = 'not_sent' AND n.kind <> 'withdrawal')
  )) ORDER BY n.id
"""

# The provider's word ends a request, once; or two people have assigned to it what stood in suspense.
_ENDED = """
SELECT r.id, r.state FROM wallets_cashrequest r
LEFT JOIN (
  SELECT request_id, sum(CASE verdict WHEN 'applied' THEN 1 ELSE 0 END) AS applied,
    sum(CASE WHEN verdict IN ('wrong_amount', 'not_permitted') THEN 1 ELSE 0 END) AS put_aside
  FROM wallets_providernotice WHERE request_id IS NOT NULL GROUP BY request_id
) n ON n.request_id = r.id
LEFT JOIN wallets_decidedtransfer d ON d.transfer_id = r.moved_id
WHERE COALESCE(n.applied, 0) > 1
  OR (r.state IN ('confirmed', 'paid', 'refused') AND COALESCE(n.applied, 0) = 0 AND d.transfer_id IS NULL)
  OR (r.state = 'failed' AND COALESCE(n.applied, 0) + COALESCE(n.put_aside, 0) = 0)
  OR (r.state NOT IN ('confirmed', 'paid', 'refused', 'failed') AND COALESCE(n.applied, 0) > 0)
  OR (r.provider_reference IS NOT NULL AND NOT EXISTS (SELECT 1 FROM wallets_providernotice p
    WHERE p.request_id = r.id AND p.reference = r.provider_reference)) ORDER BY r.id
"""


def _notices() -> Iterator[str]:
    yield from differences(_NOTICES, [], "transfer {0}, notice {1}: money in suspense and notices do not agree")
    yield from differences(_VERDICTS, [], "notice {0}: its request is not as it would be if it had been {1}")
    yield from differences(_ENDED, [], "cash request {0} ({1}) was brought there by no notice, or by several")


CHECKS = (
    Check(
        "cash_requests",
        "every cash request has moved what its state says, and nothing else",
        lambda: differences(REQUESTS, [], "cash request {0} ({1}): its transfers are not what its state says"),
    ),
    Check(
        "payouts",
        "every withdrawal goes to an address that its own player had named",
        lambda: differences(_PAYOUTS, [], "cash request {0} goes to no address of its player's"),
    ),
    Check(
        "refunds",
        "no more of a deposit goes back the way it came than came",
        lambda: differences(_REFUNDS, [], "cash request {0}: what goes back is not what came"),
    ),
    Check(
        "pending",
        "withdrawals pending are what players wait for",
        lambda: differences(_PENDING, [], "account {0}: it holds {1} cents, withdrawals without an outcome are {2}"),
    ),
    Check(
        "notices",
        "what came of every notice is what it says, money in suspense came by one, and what is odd is a finding",
        _notices,
    ),
)
