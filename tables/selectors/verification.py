"""The proofs of the game: that in play is what stands on the cloths, that every prize and number can be recomputed."""

import datetime as dt
from collections.abc import Iterator
from itertools import groupby

from django.db.models import F, Q

from roulette_site.common.verification import Check, differences
from tables import draws
from tables.models import Bet, GameRound, RoundDraw, RoundState
from tables.roulette.cloth import SPOTS
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import UnknownRulebook, find_rulebook
from tables.roulette.settlement import SpotResult, returned_cents, spot_results

from .bets import digest_of_bets

_LIVE = "NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)"

_IN_PLAY = f"""
SELECT t.id, COALESCE(moved.total, 0), COALESCE(standing.total, 0)
FROM tables_table t
LEFT JOIN (
  SELECT account_id, sum(amount) AS total FROM (
    SELECT credit_id AS account_id, amount_cents AS amount FROM wallets_transfer
    UNION ALL SELECT debit_id, -amount_cents FROM wallets_transfer
  ) AS sides GROUP BY account_id
) moved ON moved.account_id = t.in_play_id
LEFT JOIN (
  SELECT r.table_id, sum(b.stake_cents) AS total FROM tables_bet b JOIN tables_gameround r ON r.id = b.game_round_id
  WHERE r.state IN ('betting', 'closed', 'drawn') AND {_LIVE} GROUP BY r.table_id
) standing ON standing.table_id = t.id
WHERE COALESCE(moved.total, 0) <> COALESCE(standing.total, 0) ORDER BY t.id
"""

_SLIPS = """
SELECT t.id, t.amount_cents, COALESCE(sum(b.stake_cents), 0)
FROM wallets_transfer t
LEFT JOIN tables_slip s ON s.transfer_id = t.id
LEFT JOIN tables_bet b ON b.slip_id = s.transfer_id AND b.account_id = t.debit_id AND b.game_round_id = s.game_round_id
WHERE t.reason = 'stake'
GROUP BY t.id, t.amount_cents, t.round_ref, t.seat_ref, s.game_round_id, s.seat_id
HAVING t.amount_cents <> COALESCE(sum(b.stake_cents), 0) OR s.game_round_id IS NULL
  OR s.game_round_id <> t.round_ref OR s.seat_id <> t.seat_ref
ORDER BY t.id
"""

_TAKEN_BACK = """
SELECT t.id FROM wallets_transfer t
LEFT JOIN tables_slipwithdrawal w ON w.transfer_id = t.id
LEFT JOIN wallets_transfer stake ON stake.id = w.slip_id
WHERE t.reason = 'bet_taken_back' AND (stake.id IS NULL OR stake.amount_cents <> t.amount_cents
  OR stake.debit_id <> t.credit_id OR stake.credit_id <> t.debit_id OR stake.round_ref <> t.round_ref)
ORDER BY t.id
"""

# Money by round: what the transfers say against what the round's totals say, reason by reason.
_ROUND_MONEY = """
SELECT r.id, COALESCE(n.staked_cents, 0), COALESCE(m.staked, 0)
FROM tables_gameround r
LEFT JOIN tables_roundtotals n ON n.game_round_id = r.id
LEFT JOIN (
  SELECT round_ref,
    sum(CASE reason WHEN 'stake' THEN amount_cents WHEN 'bet_taken_back' THEN -amount_cents ELSE 0 END) AS staked,
    sum(CASE WHEN reason = 'stake_returned' THEN amount_cents ELSE 0 END) AS returned,
    sum(CASE WHEN reason = 'prize' THEN amount_cents ELSE 0 END) AS prize,
    sum(CASE WHEN reason = 'half_back' THEN amount_cents ELSE 0 END) AS half_back,
    sum(CASE WHEN reason = 'stake_lost' THEN amount_cents ELSE 0 END) AS lost
  FROM wallets_transfer WHERE round_ref IS NOT NULL GROUP BY round_ref
) m ON m.round_ref = r.id
WHERE r.state = 'settled' AND (
  n.game_round_id IS NULL OR n.staked_cents <> COALESCE(m.staked, 0)
  OR n.stake_returned_cents <> COALESCE(m.returned, 0)
  OR n.prize_cents <> COALESCE(m.prize, 0) OR n.half_back_cents <> COALESCE(m.half_back, 0)
  OR n.lost_cents <> COALESCE(m.lost, 0)
) ORDER BY r.id
"""

# What each player was paid for a round against the outcomes of his bets.
_PAID = """
SELECT round_id, account_id, sum(due), sum(paid) FROM (
  SELECT o.game_round_id AS round_id, b.account_id, o.returned_cents AS due, 0 AS paid
  FROM tables_betoutcome o JOIN tables_bet b ON b.id = o.bet_id
  UNION ALL
  SELECT round_ref, credit_id, 0, amount_cents FROM wallets_transfer
  WHERE reason IN ('stake_returned', 'prize', 'half_back')
) AS sides GROUP BY round_id, account_id HAVING sum(due) <> sum(paid) ORDER BY round_id, account_id
"""

_ROUND_NUMBERS = """
SELECT t.id, t.last_round_number, count(r.id), COALESCE(max(r.number), 0)
FROM tables_table t LEFT JOIN tables_gameround r ON r.table_id = t.id GROUP BY t.id, t.last_round_number
HAVING t.last_round_number <> count(r.id) OR COALESCE(max(r.number), 0) <> count(r.id) ORDER BY t.id
"""

_EVENTS = """
SELECT t.id, t.last_event_sequence, count(e.id), COALESCE(max(e.sequence), 0)
FROM tables_table t LEFT JOIN tables_roundevent e ON e.table_id = t.id GROUP BY t.id, t.last_event_sequence
HAVING t.last_event_sequence <> count(e.id) OR COALESCE(max(e.sequence), 0) <> count(e.id) ORDER BY t.id
"""


def _outcomes() -> Iterator[str]:
    """Hold every bet of every settled round against what the engine says of its spot and the round's number."""
    rows = (
        Bet.objects.filter(game_round__state=RoundState.SETTLED)
        .annotate(
            taken_back=Q(slip__withdrawal__isnull=False),
            winning=F("game_round__winning_number"),
            code=F("game_round__rulebook_code"),
            edition=F("game_round__rulebook_edition"),
            outcome=F("outcomes__kind"),
            returned=F("outcomes__returned_cents"),
        )
        .order_by("game_round_id", "id")
        .values_list(
            "game_round_id",
            "id",
            "spot",
            "stake_cents",
            "taken_back",
            "winning",
            "code",
            "edition",
            "outcome",
            "returned",
        )
    )
    known: dict[tuple[object, object, int], tuple[SpotResult, ...]] = {}
    for round_id, bets in groupby(rows.iterator(chunk_size=2000), key=lambda row: row[0]):
        for _, bet_id, spot, stake, taken_back, winning, code, edition, kind, returned in bets:
            if (code, edition, winning) not in known:
                known[code, edition, winning] = spot_results(_rulebook(code, edition), winning)
            result = known[code, edition, winning][spot]
            due = (None, None) if taken_back or result.kind == "lost" else (result.kind, returned_cents(result, stake))
            if (kind, returned) != due:
                yield (
                    f"round {round_id}, bet {bet_id} on {SPOTS[spot]}: {kind} {returned} stands,"
                    f" the rulebook says {due[0]} {due[1]}"
                )


def _rulebook(code: str, edition: dt.date) -> Rulebook:
    return find_rulebook(code, edition)


def _draws() -> Iterator[str]:
    """Recompute every number from its seed, and every seed's commitment."""
    finished = Q(state__in=(RoundState.DRAWN, RoundState.SETTLED))
    rounds = GameRound.objects.filter(secret__isnull=False).select_related("table", "secret", "draw").order_by("id")
    for game_round in rounds.iterator(chunk_size=1000):
        try:
            seed = bytes.fromhex(game_round.draw.seed_hex)
        except RoundDraw.DoesNotExist:
            if game_round.winning_number is not None:
                yield f"round {game_round.pk} has a number but no seed is shown"
            continue
        if draws.commitment_of(seed) != game_round.secret.commitment:
            yield f"round {game_round.pk}: the seed is not the one committed to"
        elif game_round.winning_number is not None:
            drawn = draws.draw_number(seed, game_round.table.slug, game_round.number, game_round.client_seed)
            if drawn != game_round.winning_number:
                yield f"round {game_round.pk}: {game_round.winning_number} stands, the seed gives {drawn}"
    for round_id in GameRound.objects.filter(finished, secret__isnull=True).values_list("pk", flat=True):
        yield f"round {round_id} was drawn without a committed seed"


def _bets_digests() -> Iterator[str]:
    """Recompute the digest that was sealed at closing."""
    rounds = GameRound.objects.filter(bets_digest__isnull=False).order_by("id")
    for round_id, sealed in rounds.values_list("pk", "bets_digest").iterator(chunk_size=1000):
        if digest_of_bets(round_id) != sealed:
            yield f"round {round_id}: the bets are not those that stood at closing"


def _rulebooks() -> Iterator[str]:
    """Hold the rulebook that rounds were played under against the edition this software knows."""
    played = GameRound.objects.values_list("rulebook_code", "rulebook_edition", "rulebook_digest").distinct()
    for code, edition, digest in played.order_by("rulebook_code", "rulebook_edition", "rulebook_digest"):
        try:
            known = _rulebook(code, edition).digest
        except UnknownRulebook:
            yield f"rounds were played under {code} {edition}, which is unknown"
            continue
        if known != digest:
            yield f"rounds were played under {code} {edition} with another content (digest {digest})"


CHECKS = (
    Check(
        "in_play",
        "in play equals the stakes of undecided bets, table by table",
        lambda: differences(_IN_PLAY, [], "table {0}: in play holds {1} cents, on the cloth stand {2}"),
    ),
    Check(
        "slips",
        "every stake that moved is a slip with its bets",
        lambda: differences(_SLIPS, [], "transfer {0}: {1} cents moved, the slip's bets come to {2}"),
    ),
    Check(
        "taken_back",
        "every slip taken back returned exactly its stake",
        lambda: differences(_TAKEN_BACK, [], "transfer {0} does not undo a slip's stake exactly"),
    ),
    Check("outcomes", "every bet returned what the rulebook says of it and the number", _outcomes),
    Check(
        "round_money",
        "every settled round's transfers equal its totals, reason by reason",
        lambda: differences(
            _ROUND_MONEY, [], "round {0}: its totals ({1} cents staked) and its transfers ({2}) differ"
        ),
    ),
    Check(
        "paid",
        "every player was paid the outcomes of his bets",
        lambda: differences(_PAID, [], "round {0}, account {1}: outcomes come to {2} cents, {3} were paid"),
    ),
    Check("draws", "every number follows from its seed, and every seed from its commitment", _draws),
    Check("bets_digests", "the bets of every round are those that stood at closing", _bets_digests),
    Check("rulebooks", "every round was played under a rulebook that this software still holds unchanged", _rulebooks),
    Check(
        "round_numbers",
        "round numbers have no gap",
        lambda: differences(_ROUND_NUMBERS, [], "table {0}: counter {1}, rounds {2}, highest number {3}"),
    ),
    Check(
        "events",
        "event sequences have no gap",
        lambda: differences(_EVENTS, [], "table {0}: counter {1}, events {2}, highest sequence {3}"),
    ),
)
