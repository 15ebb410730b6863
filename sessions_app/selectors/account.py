"""What a player has."""

from django.db.models import QuerySet

from wallets.models import Account, AccountKind, Player


def balances_of(player: Player) -> QuerySet[Account]:
    """The player's wallets, one a unit."""
    return Account.objects.filter(player=player, kind=AccountKind.WALLET).order_by("-unit")
