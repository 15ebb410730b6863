"""What a bet is held against, folded from the rows that say why into the row that placing locks.

Every act that changes what a player may do ends here, in its own transaction: it waits for a slip on its way, and the
next slip sees it. `verify` folds anew and compares (wallets/selectors/verification/players.py).
"""

from collections.abc import Iterable

from django.db import connection

from wallets.models import PLAYER_KINDS, Account, Player
from wallets.selectors.gates import gates_of

from .ledger import lock_accounts


def lock_player(player: Player) -> Player:
    """Lock the player's accounts, in id order, and return him as he stands under the lock; needs a transaction."""
    assert connection.in_atomic_block, "locks are held until the end of a transaction"
    lock_accounts(*Account.objects.filter(player=player).values_list("pk", flat=True))
    return Player.objects.get(pk=player.pk)


def lock_players(players: Iterable[Player]) -> None:
    """Lock the accounts of several players, in id order over all of them; needs a transaction."""
    pks = [one.pk for one in players]
    lock_accounts(*Account.objects.filter(player__in=pks).values_list("pk", flat=True))


def refresh_gates(player: Player) -> None:
    """Fold the player's states, exclusions and limits into the accounts he bets from; the caller holds their lock."""
    for account in Account.objects.filter(player=player, kind__in=PLAYER_KINDS).order_by("pk"):
        Account.objects.filter(pk=account.pk).update(**gates_of(player, account.unit))
