"""What a player has."""

from collections.abc import Sequence

from wallets.models import Account, AccountKind, Player


def wallets_of(player: Player) -> Sequence[Account]:
    """The player's wallets, one a unit, money first."""
    return list(Account.objects.filter(player=player, kind=AccountKind.WALLET).order_by("-unit"))
