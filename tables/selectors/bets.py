"""Reading bets: which count, and what they add up to."""

import hashlib
import json

from django.db.models import QuerySet, Sum

from tables.models import Bet
from tables.roulette.bets import Bet as EngineBet
from tables.roulette.cloth import SPOTS


def live_bets(game_round_id: int) -> QuerySet[Bet]:
    """The bets of a round that count: those whose slip is not taken back."""
    return Bet.objects.filter(game_round_id=game_round_id, slip__withdrawal__isnull=True)


def digest_of_bets(game_round_id: int) -> str:
    """SHA-256 over the live bets in order of id, one JSON line each: [bet, slip, account, spot, stake in cents]."""
    digest = hashlib.sha256()
    rows = live_bets(game_round_id).order_by("id").values_list("id", "slip_id", "account_id", "spot", "stake_cents")
    for row in rows.iterator():
        digest.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()


def stakes_of_account(game_round_id: int, account_id: int) -> list[EngineBet]:
    """What a player has on the cloth of a round, one bet a spot, as the engine takes it."""
    rows = live_bets(game_round_id).filter(account_id=account_id).values_list("spot").annotate(stake=Sum("stake_cents"))
    return [EngineBet(SPOTS[spot], stake) for spot, stake in rows.order_by("spot")]
