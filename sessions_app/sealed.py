"""What of game sessions is sealed when they are over (roulette_site/common/book_seals.py)."""

from django.db.models import F, Q

from roulette_site.common.book_seals import Part, Sealed
from tables.models import Seat

from .models import GameSession, RealityCheck

# A seat that was left, and the game session that was played from it.
SEALED = (
    Sealed(
        "seat",
        Seat,
        since=F("left_at"),
        final=Q(left_at__isnull=False),
        parts=(Part(GameSession, "seat_id"), Part(RealityCheck, "game_session__seat_id")),
    ),
)
