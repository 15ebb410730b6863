"""One person's accounts are held to each other: nobody sheds an exclusion or a limit by registering anew."""

import datetime as dt

from roulette_site.common.audit import audited
from wallets.models import Exclusion, Player
from wallets.selectors.people import accounts_of

from .exclusion import carry_over
from .gates import lock_players
from .limits import carry_over_limits


def hold_doubles(*, player: Player, at: dt.datetime) -> None:
    """Carry exclusions and own limits over between this account and those that seem to be the same person's."""
    with audited():
        accounts = accounts_of(player)
        if len(accounts) < 2:
            return
        lock_players(accounts)
        carry_over(accounts, at=at)
        carry_over_limits(accounts, at=at)


def keep_exclusions(*, at: dt.datetime) -> None:
    """Hold the doubles of all who were excluded lately: one may have registered at the very moment of it."""
    excluded = Exclusion.objects.filter(starts_at__gt=at - dt.timedelta(days=1)).values("player_id")
    for player in Player.objects.filter(pk__in=excluded).order_by("pk"):
        hold_doubles(player=player, at=at)
