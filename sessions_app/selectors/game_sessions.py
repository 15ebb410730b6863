"""Finding game sessions."""

from django.db.models import QuerySet

from sessions_app.models import GameSession
from tables.models import Table
from wallets.models import Player


def current_session(*, table: Table, player: Player) -> GameSession | None:
    """The player's open game session at the table, if there is one."""
    return (
        GameSession.objects.filter(player=player, seat__table=table, ended_at__isnull=True)
        .select_related("seat__table", "seat__account")
        .first()
    )


def sessions_of(player: Player) -> QuerySet[GameSession]:
    """The player's game sessions, the latest first; another player's are not among them."""
    return GameSession.objects.filter(player=player).select_related("seat__table").order_by("-started_at", "-id")
