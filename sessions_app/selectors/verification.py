"""The proofs of game sessions."""

from roulette_site.common.verification import Check, differences

_SESSIONS = """
SELECT g.id FROM sessions_app_gamesession g JOIN tables_seat s ON s.id = g.seat_id
WHERE g.player_id <> s.player_id OR (g.ended_at IS NULL) <> (s.left_at IS NULL) ORDER BY g.id
"""

CHECKS = (
    Check(
        "game_sessions",
        "every game session ends when its seat is left, and belongs to whoever sat there",
        lambda: differences(_SESSIONS, [], "game session {0} and its seat say different things"),
    ),
)
