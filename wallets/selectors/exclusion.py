"""Which exclusions a player may end before their time, and when that would be."""

import datetime as dt

from wallets.models import Exclusion, ExclusionKind, Player
from wallets.protection import earlier_end


def early_ends_open_to(player: Player, at: dt.datetime) -> list[tuple[Exclusion, dt.datetime]]:
    """The player's self-exclusions that would end sooner if he asked for it at `at`, each with its end then.

    What offers him the asking and what takes it both look here, so that no page offers what would be refused.
    """
    own = Exclusion.objects.filter(player=player, kind=ExclusionKind.SELF, early_end__isnull=True).order_by("id")
    found = ((one, earlier_end(starts_at=one.starts_at, ends_at=one.ends_at, asked_at=at)) for one in own)
    return [(one, end) for one, end in found if end is not None]
