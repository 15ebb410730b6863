"""Idempotency keys of the player's pages."""

from roulette_site.common.idempotency import fresh_key, key_in_form
from wallets.models import Player

__all__ = ("fresh_key", "key_of_form")


def key_of_form(player: Player, key: str) -> str:
    """Set the form's key apart for its player; raises IdempotencyKeyRequired where it is none."""
    return key_in_form(key, f"web:{player.pk}")
