"""What a player has, and had."""

from collections.abc import Sequence

from django.db.models import Q, Sum

from wallets.models import Account, AccountKind, Player, Transfer


def wallets_of(player: Player) -> Sequence[Account]:
    """The player's wallets, one a unit, money first."""
    return list(Account.objects.filter(player=player, kind=AccountKind.WALLET).order_by("-unit"))


def balance_after(*, account_id: int, transfer_id: int) -> int:
    """The account's balance in cents right after one of its transfers, from the rows.

    Whoever moves an account's money holds its lock while the transfer is written, so that the ids of one account's
    transfers stand in the order of its balances.
    """
    until = Transfer.objects.filter(pk__lte=transfer_id)
    sums = until.filter(Q(credit_id=account_id) | Q(debit_id=account_id)).aggregate(
        came=Sum("amount_cents", filter=Q(credit_id=account_id), default=0),
        went=Sum("amount_cents", filter=Q(debit_id=account_id), default=0),
    )
    return int(sums["came"] - sums["went"])
