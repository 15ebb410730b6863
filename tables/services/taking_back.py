"""Taking bets back while bets are open (reading 12): whole slips, which stay on record as taken back."""

import datetime as dt
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F

from roulette_site.common.errors import RuleBroken
from tables.locks import share_round
from tables.models import GameRound, RoundState, Seat, Slip, SlipWithdrawal
from tables.selectors.bets import live_bets
from wallets.models import Account, Reason, Transfer
from wallets.services.ledger import lock_accounts
from wallets.services.player_days import count_in_day

from .rounds import BettingClosed


class NothingToTakeBack(RuleBroken):
    """No such slip of the player's stands in a round that takes bets."""

    code = "nothing_to_take_back"


def take_back(*, seat: Seat, slip_id: int, at: dt.datetime) -> SlipWithdrawal:
    """Return one slip's whole stake; a slip that is taken back already is answered with its withdrawal.

    Raises NothingToTakeBack, or BettingClosed once no more bets are taken.
    """
    slip = Slip.objects.filter(pk=slip_id, seat=seat).first()
    if slip is None:
        raise NothingToTakeBack("There is no such slip on the cloth.")
    with transaction.atomic():
        _take_back(seat, slip.game_round_id, [slip.pk], at)
        return SlipWithdrawal.objects.get(pk=slip_id)


def take_back_all(*, seat: Seat, at: dt.datetime) -> int:
    """Clear the cloth of the player's slips in the round that takes bets; returns how many were taken back.

    Raises NothingToTakeBack, or BettingClosed.
    """
    game_round = GameRound.objects.filter(seat=seat).order_by("-number").first()
    if game_round is None:
        raise NothingToTakeBack("There is nothing on the cloth.")
    with transaction.atomic():
        slip_ids = list(
            Slip.objects.filter(game_round=game_round, seat=seat, withdrawal__isnull=True).values_list("pk", flat=True)
        )
        if not slip_ids:
            raise NothingToTakeBack("There is nothing on the cloth.")
        return _take_back(seat, game_round.pk, slip_ids, at)


def _take_back(seat: Seat, game_round_id: int, slip_ids: Iterable[int], at: dt.datetime) -> int:
    share_round(game_round_id)
    lock_accounts(seat.account_id)
    game_round = GameRound.objects.get(pk=game_round_id)
    standing = Slip.objects.filter(pk__in=slip_ids, withdrawal__isnull=True).select_related("transfer").order_by("pk")
    taken_back = 0
    for slip in standing:
        if game_round.state != RoundState.BETTING or (game_round.closes_at is not None and at >= game_round.closes_at):
            raise BettingClosed("No more bets: what stands on the cloth is played.")
        stake = slip.transfer
        transfer = Transfer.objects.create(
            debit_id=stake.credit_id,
            credit_id=stake.debit_id,
            amount_cents=stake.amount_cents,
            unit=stake.unit,
            reason=Reason.BET_TAKEN_BACK,
            round_ref=stake.round_ref,
            seat_ref=stake.seat_ref,
            actor=f"player:{seat.player_id}",
            created_at=at,
            # It leaves the day in which it was placed.
            player_day=stake.player_day,
        )
        count_in_day(transfer)
        Account.objects.filter(pk=stake.debit_id).update(balance_cents=F("balance_cents") + stake.amount_cents)
        SlipWithdrawal.objects.create(slip=slip, transfer=transfer, taken_back_at=at)
        taken_back += 1
    if taken_back and game_round.seat_id is not None and not live_bets(game_round_id).exists():
        # An individual round waits for its player: with no bet left there is no deadline.
        GameRound.objects.filter(pk=game_round_id).update(closes_at=None)
    return taken_back
