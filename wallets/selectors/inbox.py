"""What a player was told, and whether he has seen it."""

from collections.abc import Sequence

from wallets.models import InboxMessage, Player

MESSAGES_A_PAGE = 50


def messages_of(player: Player, *, before: int | None = None) -> Sequence[InboxMessage]:
    """The player's messages, the latest first; `before` is the last one of the page before."""
    found = InboxMessage.objects.filter(player=player).select_related("reading").order_by("-id")
    return list((found if before is None else found.filter(pk__lt=before))[:MESSAGES_A_PAGE])


def unread_count(player: Player) -> int:
    """How many messages the player has not seen."""
    return InboxMessage.objects.filter(player=player, reading__isnull=True).count()
