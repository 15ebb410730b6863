"""What of the game is sealed when it is over (roulette_site/common/book_seals.py)."""

from django.db.models import F, Q
from django.db.models.functions import Coalesce

from roulette_site.common.book_seals import Part, Sealed
from roulette_site.common.guards.watches import GAME_REASONS
from tables.models import (
    Bet,
    BetOutcome,
    GameRound,
    RoundDraw,
    RoundEvent,
    RoundSeed,
    RoundTotals,
    RulesTelling,
    Slip,
    SlipCall,
    SlipWithdrawal,
)
from tables.models.game_round import FINISHED
from wallets.models import Transfer

# A round with all that was bet, drawn and paid in it. Money that staff correct later is no part of it.
ROUND = Sealed(
    "round",
    GameRound,
    since=Coalesce("settled_at", "draw__revealed_at"),
    # Of a round without a bet the seed is shown a moment after its end.
    final=Q(state__in=FINISHED, draw__isnull=False),
    parts=(
        Part(RoundSeed, "game_round_id"),
        Part(RoundDraw, "game_round_id"),
        Part(RoundEvent, "game_round_id"),
        Part(RoundTotals, "game_round_id"),
        Part(Slip, "game_round_id"),
        Part(SlipCall, "slip__game_round_id"),
        Part(SlipWithdrawal, "slip__game_round_id"),
        Part(Bet, "game_round_id"),
        Part(BetOutcome, "game_round_id"),
        Part(Transfer, "round_ref", Q(reason__in=GAME_REASONS)),
    ),
)
SEALED = (
    # At once: another seed and commitment, put there while bets are open, would be another number.
    Sealed("round_seed", RoundSeed, since=F("game_round__opened_at")),
    ROUND,
    Sealed("rules_telling", RulesTelling, since=F("told_at")),
)
