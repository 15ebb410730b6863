"""Whether something of a player's is still going on at the tables."""

from tables.models import UNFINISHED, Bet, GameRound
from wallets.models import Player, Unit


def has_money_in_play(player: Player) -> bool:
    """Whether stakes of the player's are undecided, or a round of money is open for him alone; play units aside."""
    live = Bet.objects.filter(
        slip__seat__player=player,
        slip__withdrawal__isnull=True,
        game_round__state__in=UNFINISHED,
        game_round__table__unit=Unit.EUR,
    )
    own = GameRound.objects.filter(seat__player=player, state__in=UNFINISHED, table__unit=Unit.EUR)
    return live.exists() or own.exists()
