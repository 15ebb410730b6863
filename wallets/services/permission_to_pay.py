"""Who may pay in and be paid out. Called under the account's lock, inside the transaction that moves the money."""

import datetime as dt

from roulette_site.common.errors import RuleBroken
from wallets.models import Player, User


class AccountClosed(RuleBroken):
    """Nothing is paid into an account that is closed, or out of it by its player."""

    code = "account_closed"


def check_deposit(*, player: Player, amount_cents: int, at: dt.datetime) -> None:
    """Let a deposit pass; raises AccountClosed."""
    _check_open(player)


def check_withdrawal(*, player: Player, amount_cents: int, at: dt.datetime) -> None:
    """Let a withdrawal pass; raises AccountClosed."""
    _check_open(player)


def _check_open(player: Player) -> None:
    if not User.objects.filter(pk=player.user_id, is_active=True).exists():
        raise AccountClosed("This account is closed.")
