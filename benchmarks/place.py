"""Where a player's slips go. Apart from Django, so that a process can be handed it before it has loaded anything."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where one player's slips go."""

    player_id: int
    account_id: int
    seat_id: int
    game_round_id: int
    in_play_id: int
