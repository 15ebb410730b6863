"""The player who is logged in, for the head of every page."""

from collections.abc import Sequence

from django import template
from django.contrib.auth.models import AnonymousUser

from wallets.models import Account, Player, User
from wallets.selectors.balances import wallets_of
from wallets.selectors.inbox import unread_count

register = template.Library()


@register.simple_tag
def wallets_of_user(user: User | AnonymousUser) -> Sequence[Account]:
    """The wallets of a user who is a player; none of anyone else's."""
    player = getattr(user, "player", None)
    return wallets_of(player) if isinstance(player, Player) else ()


@register.simple_tag
def unread_of_user(user: User | AnonymousUser) -> int:
    """How many messages wait for a user who is a player."""
    player = getattr(user, "player", None)
    return unread_count(player) if isinstance(player, Player) else 0
