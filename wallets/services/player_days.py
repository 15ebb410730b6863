"""Counting a player's transfers in the days of his own calendar, where they are made one by one.

Placing and settling do the same in statements of their own (tables).
"""

import datetime as dt

from django.db.models import F

from wallets.models import Account, Player, PlayerDay, Reason, Transfer, Unit
from wallets.protection import PlayerCalendar

# Which column of the day a reason counts in, with the account it belongs to and the sign.
_COUNTED = {
    Reason.DEPOSIT: ("deposited_cents", "credit_id", 1),
    Reason.STAKE: ("staked_cents", "debit_id", 1),
    Reason.BET_TAKEN_BACK: ("staked_cents", "credit_id", -1),
    Reason.VOID_REFUND: ("staked_cents", "credit_id", -1),
    Reason.STAKE_RETURNED: ("returned_cents", "credit_id", 1),
    Reason.PRIZE: ("returned_cents", "credit_id", 1),
    Reason.HALF_BACK: ("returned_cents", "credit_id", 1),
}


def day_of_account(account: Account, at: dt.datetime) -> dt.date | None:
    """The day of the calendar of the account's player; None for play units and for the operator's accounts."""
    if account.unit != Unit.EUR or account.player_id is None:
        return None
    zone = Player.objects.values_list("time_zone", flat=True).get(pk=account.player_id)
    return PlayerCalendar.at(at, zone).day


def count_in_day(transfer: Transfer) -> None:
    """Count the transfer in its day; the caller holds the account's lock. Without a day it counts in none."""
    if transfer.player_day is None:
        return
    column, account, sign = _COUNTED[Reason(transfer.reason)]
    day, _ = PlayerDay.objects.get_or_create(account_id=getattr(transfer, account), day=transfer.player_day)
    PlayerDay.objects.filter(pk=day.pk).update(**{column: F(column) + sign * transfer.amount_cents})
