"""Idempotency keys of the player's pages."""

import re
import uuid

from roulette_site.common.idempotency import IdempotencyKeyRequired
from wallets.models import Player

_KEY = re.compile(r"[0-9A-Za-z-]{8,64}\Z")


def fresh_key() -> str:
    """A key for a form that the server renders; pages with script make their own, one for each act."""
    return str(uuid.uuid4())


def key_of_form(player: Player, key: str) -> str:
    """Set the form's key apart for its player; raises IdempotencyKeyRequired where it is none."""
    if not _KEY.match(key):
        raise IdempotencyKeyRequired("The form carried no key: load the page again.")
    return f"web:{player.pk}:{key}"
