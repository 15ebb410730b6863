"""The proofs of game sessions."""

from roulette_site.common.verification import Check, differences

from .playing_time import find_wrong_times

_SESSIONS = """
SELECT g.id FROM sessions_app_gamesession g JOIN tables_seat s ON s.id = g.seat_id
WHERE g.player_id <> s.player_id OR g.started_at <> s.taken_at OR (g.ended_at IS NULL) <> (s.left_at IS NULL)
  OR g.ended_at <> s.left_at OR (g.ended_at IS NULL) <> (g.end_basis IS NULL) ORDER BY g.id
"""

_SEATS = """
SELECT s.id FROM tables_seat s LEFT JOIN sessions_app_gamesession g ON g.seat_id = s.id
WHERE g.id IS NULL AND EXISTS (SELECT 1 FROM tables_slip p WHERE p.seat_id = s.id) ORDER BY s.id
"""

CHECKS = (
    Check(
        "seats",
        "every seat that was played from has a game session",
        lambda: differences(_SEATS, [], "seat {0} was played from, and no game session says so"),
    ),
    Check("times", "every seat is held to its player's limits of time, and to when he is asked", find_wrong_times),
    Check(
        "game_sessions",
        "every game session begins and ends with its seat, and belongs to whoever sat there",
        lambda: differences(_SESSIONS, [], "game session {0} and its seat say different things"),
    ),
)
