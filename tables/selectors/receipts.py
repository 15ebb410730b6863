"""The receipt of a round: all that is needed to recompute its number and what a player was paid, and no more.

What others have bet stands in it as digests: with them anybody holds the list to the digest that was sealed at closing,
and nobody learns what they are of (docs/decisions/0019-receipts.md). docs/verify_round.py reads it.
"""

from collections.abc import Collection
from typing import Any

from roulette_site.common.sql import one_snapshot
from tables.models import BetOutcome, GameRound, RoundDraw, RoundSeed
from tables.roulette.cloth import SPOTS
from wallets.amounts import format_cents

from .bets import SealedBet, sealed_bets

SCHEMA = 1


def receipt_of(game_round_id: int, *, account_ids: Collection[int] = ()) -> dict[str, Any]:
    """The receipt as JSON values, at one instant; `account_ids` are the wallets whose bets it opens.

    While bets are open it says which seed was committed to and nothing of any bet. Raises GameRound.DoesNotExist.
    """
    with one_snapshot():
        game_round = GameRound.objects.select_related("table", "rules__publication").get(pk=game_round_id)
        publication = getattr(game_round.rules, "publication", None)
        return {
            "schema": SCHEMA,
            "round": {
                "id": game_round.pk,
                "table": game_round.table.slug,
                "number": game_round.number,
                "state": game_round.state,
                "unit": game_round.table.unit,
                "minimum": format_cents(game_round.minimum_cents),
                "opened_at": game_round.opened_at,
                "closed_at": game_round.closed_at,
                "drawn_at": game_round.drawn_at,
                "settled_at": game_round.settled_at,
            },
            "rules": {
                "rulebook": game_round.rulebook_code,
                "edition": game_round.rulebook_edition.isoformat(),
                "digest": game_round.rulebook_digest,
                "version": game_round.rules.version,
                "page_sha256": publication and publication.sha256,
            },
            "draw": _draw_of(game_round),
            "bets_digest": game_round.bets_digest,
            "bets": [] if game_round.bets_digest is None else _bets_of(game_round, account_ids),
        }


def _draw_of(game_round: GameRound) -> dict[str, Any]:
    secret = RoundSeed.objects.filter(pk=game_round.pk).first()
    draw = RoundDraw.objects.filter(pk=game_round.pk).first()
    return {
        "algorithm": secret and secret.algorithm,
        "commitment": secret and secret.commitment,
        "client_seed": game_round.client_seed,
        "seed": draw and draw.seed_hex,
        "winning_number": game_round.winning_number,
    }


def _bets_of(game_round: GameRound, account_ids: Collection[int]) -> list[dict[str, Any]]:
    outcomes = {}
    # A later revision corrects an earlier one.
    for outcome in BetOutcome.objects.filter(game_round=game_round, bet__account__in=account_ids).order_by("revision"):
        outcomes[outcome.bet_id] = outcome
    is_paid = game_round.settled_at is not None
    return [
        {"digest": bet.digest}
        if bet.account not in account_ids
        else _opened(bet, outcomes.get(bet.bet), is_paid=is_paid)
        for bet in sealed_bets(game_round.pk)
    ]


def _opened(bet: SealedBet, outcome: BetOutcome | None, *, is_paid: bool) -> dict[str, Any]:
    spot = SPOTS[bet.spot]
    returned = outcome.returned_cents if outcome is not None else 0
    return {
        "digest": bet.digest,
        "salt": bet.salt,
        "bet": bet.bet,
        "slip": bet.slip,
        "account": bet.account,
        "spot": bet.spot,
        "type": str(spot.type),
        "numbers": list(spot.numbers),
        "stake": format_cents(bet.stake_cents),
        "outcome": (str(outcome.kind) if outcome is not None else "lost") if is_paid else None,
        "returned": format_cents(returned) if is_paid else None,
    }
