"""What the accounts come to that carry no balance: the operator's, and what players owe."""

from django.db import connection

from wallets.models import AccountSnapshot

_SINCE = """
SELECT (SELECT COALESCE(sum(amount_cents), 0) FROM wallets_transfer WHERE credit_id = %s AND id > %s)
  - (SELECT COALESCE(sum(amount_cents), 0) FROM wallets_transfer WHERE debit_id = %s AND id > %s)
"""


def operator_balance(account_id: int) -> int:
    """The account's balance in cents: its last snapshot and the transfers since, found by index."""
    last = (
        AccountSnapshot.objects.filter(account_id=account_id)
        .order_by("-gaming_day")
        .values_list("balance_cents", "last_transfer_id")
        .first()
    )
    balance, after = last or (0, 0)
    with connection.cursor() as cursor:
        cursor.execute(_SINCE, [account_id, after, account_id, after])
        (moved,) = cursor.fetchone()
    return int(balance + moved)


def owed_cents(receivable_id: int) -> int:
    """What the player of that receivable owes: what was lent to him and not paid back yet."""
    return -operator_balance(receivable_id)
