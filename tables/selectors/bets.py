"""Reading bets: which count, and what they add up to."""

import hashlib
import json
from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import F, QuerySet, Sum

from tables.models import Bet
from tables.roulette.bets import Bet as EngineBet
from tables.roulette.cloth import SPOTS


def live_bets(game_round_id: int) -> QuerySet[Bet]:
    """The bets of a round that count: those whose slip is not taken back."""
    return Bet.objects.filter(game_round_id=game_round_id, slip__withdrawal__isnull=True)


class SealedBet(NamedTuple):
    """A bet as it goes into the digest of its round; `salt` is its slip's."""

    salt: str
    bet: int
    slip: int
    account: int
    spot: int
    stake_cents: int

    @property
    def digest(self) -> str:
        """SHA-256 of the six as a JSON list without white space: shown to everybody, it tells nobody what was bet."""
        return hashlib.sha256(json.dumps(self, separators=(",", ":")).encode()).hexdigest()


def sealed_bets(game_round_id: int) -> Iterator[SealedBet]:
    """The live bets of a round in order of id, as its digest is made over them."""
    rows = live_bets(game_round_id).order_by("id")
    yield from map(
        SealedBet._make,
        rows.values_list(F("slip__salt"), "id", "slip_id", "account_id", "spot", "stake_cents").iterator(),
    )


def digest_of_bets(game_round_id: int) -> str:
    """SHA-256 over the digests of all live bets in order of id, a line each: nobody changes a bet after closing."""
    digest = hashlib.sha256()
    for bet in sealed_bets(game_round_id):
        digest.update(bet.digest.encode() + b"\n")
    return digest.hexdigest()


def stakes_of_account(game_round_id: int, account_id: int) -> list[EngineBet]:
    """What a player has on the cloth of a round, one bet a spot, as the engine takes it."""
    rows = live_bets(game_round_id).filter(account_id=account_id).values_list("spot").annotate(stake=Sum("stake_cents"))
    return [EngineBet(SPOTS[spot], stake) for spot, stake in rows.order_by("spot")]
