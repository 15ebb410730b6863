"""What a player has played, as a part of the export of his data."""

from typing import Any

from sessions_app.models import GameSession, RealityCheck
from tables.models import Bet
from wallets.models import Player


def game_sessions_of(player: Player) -> list[dict[str, Any]]:
    """Return every session of the player with every bet in it, ready for JSON."""
    bets: dict[int, list[dict[str, Any]]] = {}
    placed = Bet.objects.filter(slip__seat__player=player).select_related("slip", "game_round").order_by("pk")
    for bet in placed.iterator():
        bets.setdefault(bet.slip.seat_id, []).append(
            {
                "id": bet.pk,
                "round": bet.game_round.number,
                "spot": str(bet.place),
                "stake_cents": bet.stake_cents,
                "placed_at": bet.slip.placed_at.isoformat(),
            }
        )
    return [
        {
            "id": one.pk,
            "table": one.seat.table.slug,
            "started_at": one.started_at.isoformat(),
            "ended_at": None if one.ended_at is None else one.ended_at.isoformat(),
            "bets": bets.get(one.seat_id, []),
        }
        for one in GameSession.objects.filter(player=player).select_related("seat__table").order_by("pk")
    ]


def reality_checks_of(player: Player) -> list[dict[str, Any]]:
    """Return when the player was asked whether he goes on, and when he said so, ready for JSON."""
    return [
        {
            "game_session": one.game_session_id,
            "due_at": one.due_at.isoformat(),
            "acknowledged_at": one.acknowledged_at.isoformat(),
        }
        for one in RealityCheck.objects.filter(game_session__player=player).order_by("pk")
    ]
