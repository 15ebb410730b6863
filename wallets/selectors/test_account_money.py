"""What of the operator's accounts is there for test accounts: it is in the ledger, and in no figure of the business.

A test account's money moves like any other's, so that trying things out tries the real thing, and every proof of the
books counts it. A figure is the account's balance less this part.
"""

from django.db import connection

from wallets.models import Player

from .operator_balances import operator_balance

# Of an account, up to a transfer: what went straight to and from a test account, by way of the withdrawals pending or
# of suspense, and the stakes that test accounts have lost, which leave in play with everybody else's of the round.
_PART = """
WITH trying AS (
  SELECT a.id FROM wallets_account a JOIN wallets_player p ON p.id = a.player_id WHERE p.is_test
), own AS (
  SELECT t.* FROM wallets_transfer t WHERE t.debit_id IN (SELECT id FROM trying) AND t.id <= %(last)s
  UNION ALL
  SELECT t.* FROM wallets_transfer t WHERE t.credit_id IN (SELECT id FROM trying) AND t.id <= %(last)s
    AND t.debit_id NOT IN (SELECT id FROM trying)
), lost AS (
  SELECT round_ref, sum(CASE reason WHEN 'stake' THEN amount_cents ELSE -amount_cents END) AS cents FROM own
  WHERE round_ref IS NOT NULL
    AND reason IN ('stake', 'bet_taken_back', 'stake_returned', 'half_back', 'void_refund')
  GROUP BY round_ref
), moved AS (
  SELECT debit_id, credit_id, amount_cents FROM own
  UNION ALL
  SELECT s.debit_id, s.credit_id, l.cents FROM lost l
  JOIN wallets_transfer s ON s.round_ref = l.round_ref AND s.reason = 'stake_lost' AND s.id <= %(last)s
  UNION ALL
  SELECT m.debit_id, m.credit_id, m.amount_cents FROM wallets_cashrequest r
  JOIN wallets_transfer m ON m.id = r.moved_id AND m.id <= %(last)s
  WHERE r.kind = 'withdrawal' AND r.account_id IN (SELECT id FROM trying)
  UNION ALL
  SELECT s.debit_id, s.credit_id, s.amount_cents FROM wallets_decidedtransfer d
  JOIN own m ON m.id = d.transfer_id JOIN wallets_transfer s ON s.id = d.releases_id
)
SELECT COALESCE(sum(CASE WHEN credit_id = %(account)s THEN amount_cents ELSE 0 END), 0)
  - COALESCE(sum(CASE WHEN debit_id = %(account)s THEN amount_cents ELSE 0 END), 0)
FROM moved WHERE credit_id = %(account)s OR debit_id = %(account)s
"""
_NEWEST = 2**62


def part_of_test_accounts(account_id: int, *, last_transfer_id: int = _NEWEST) -> int:
    """The cents of the operator's account that are there for test accounts, up to a transfer or by now."""
    if not Player.objects.filter(is_test=True).exists():
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_PART, {"account": account_id, "last": last_transfer_id})
        (cents,) = cursor.fetchone()
    return int(cents)


def business_balance(account_id: int) -> int:
    """What the operator's account comes to as a figure of the business: without test accounts."""
    return operator_balance(account_id) - part_of_test_accounts(account_id)
