"""What can be played, and where the player sits already."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions_app.models import GameSession
from tables.models import Table
from tables.roulette.rulebook import Rulebook
from wallets.models import Player


@dataclass(frozen=True)
class LobbyTable:
    """A table as the lobby offers it."""

    table: Table
    rulebook: Rulebook
    # Whether the player has an open session there.
    is_entered: bool

    @property
    def highest_maximum_cents(self) -> int:
        """The most that may stand on any spot."""
        return max(self.rulebook.maxima.values()) * self.table.minimum_cents


def lobby_tables(player: Player | None) -> Sequence[LobbyTable]:
    """Every table of the house; those where the player sits come first."""
    entered = set(
        GameSession.objects.filter(player=player, ended_at__isnull=True).values_list("seat__table_id", flat=True)
        if player is not None
        else ()
    )
    tables = [
        LobbyTable(table, table.rules.rulebook, table.pk in entered)
        for table in Table.objects.select_related("rules").order_by("name", "id")
    ]
    return sorted(tables, key=lambda one: not one.is_entered)
