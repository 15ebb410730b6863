"""What many acts read from their arguments, and what they hand on of the decision."""

from typing import Any

from roulette_site.common.audit import actor_of
from roulette_site.common.four_eyes import Arguments, Decision
from wallets.models import Player
from wallets.services.adjustments import InvalidAdjustment
from wallets.services.caps import check_independent


def player_of(arguments: Arguments) -> Player:
    """The player that the arguments name; raises InvalidAdjustment."""
    player = Player.objects.filter(pk=arguments.get("player") or 0).first()
    if player is None:
        raise InvalidAdjustment("There is no such player.")
    return player


def check_player(arguments: Arguments) -> None:
    """Raise InvalidAdjustment where the arguments name no player."""
    player_of(arguments)


def check_independent_of_player(arguments: Arguments, user: Any) -> None:
    """Raise OwnBenefit where this user may be the player whom it is about."""
    check_independent(player=player_of(arguments), actors=(actor_of(user),))


def by_two(decision: Decision) -> dict[str, Any]:
    """Who asked, who decided, why and when, as the services take it."""
    return {
        "reason": decision.reason,
        "actor": decision.maker,
        "second_actor": decision.decider,
        "at": decision.at,
    }
