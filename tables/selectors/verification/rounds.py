"""The proofs of rounds: each went its way, its number follows from its seed, and its rulebook is still held."""

from collections.abc import Iterator

from django.db.models import Q

from roulette_site.common.verification import Check, differences
from tables import draws
from tables.models import GameRound, RoundDraw, RoundState
from tables.roulette.rulebooks import UnknownRulebook, find_rulebook

# Each step leaves its time, its seal and its event: what a round's state says it has been through, and nothing else.
_STATES = """
SELECT r.id, r.state FROM tables_gameround r
JOIN tables_specificrules v ON v.id = r.rules_id
JOIN tables_table t ON t.id = r.table_id
LEFT JOIN tables_seat s ON s.id = r.seat_id
LEFT JOIN (
  SELECT game_round_id,
    sum(CASE WHEN kind = 'betting' THEN 1 ELSE 0 END) AS betting,
    sum(CASE WHEN kind = 'closed' THEN 1 ELSE 0 END) AS closed,
    sum(CASE WHEN kind = 'drawn' THEN 1 ELSE 0 END) AS drawn,
    sum(CASE WHEN kind = 'settled' THEN 1 ELSE 0 END) AS settled,
    sum(CASE WHEN kind = 'unused' THEN 1 ELSE 0 END) AS unused,
    max(CASE WHEN kind = 'betting' THEN happened_at END) AS opened_at,
    max(CASE WHEN kind IN ('closed', 'unused') THEN happened_at END) AS closed_at,
    max(CASE WHEN kind = 'drawn' THEN happened_at END) AS drawn_at,
    max(CASE WHEN kind = 'settled' THEN happened_at END) AS settled_at,
    count(DISTINCT table_id) AS tables, min(table_id) AS table_id,
    count(*) AS events, count(seat_id) AS seated, min(seat_id) AS first_seat_id, max(seat_id) AS last_seat_id
  FROM tables_roundevent GROUP BY game_round_id
) e ON e.game_round_id = r.id
WHERE (r.closed_at IS NULL) <> (r.state = 'betting')
  OR (r.bets_digest IS NULL) <> (COALESCE(e.closed, 0) = 0)
  OR (r.state IN ('closed', 'drawn', 'settled') AND r.bets_digest IS NULL)
  OR (r.state IN ('betting', 'unused') AND r.bets_digest IS NOT NULL)
  OR (r.drawn_at IS NOT NULL) <> (r.state IN ('drawn', 'settled'))
  OR (r.settled_at IS NOT NULL) <> (r.state = 'settled')
  OR r.opened_at IS DISTINCT FROM e.opened_at
  OR (e.closed_at IS NOT NULL AND r.closed_at IS DISTINCT FROM e.closed_at)
  OR r.drawn_at IS DISTINCT FROM e.drawn_at OR r.settled_at IS DISTINCT FROM e.settled_at
  OR COALESCE(e.betting, 0) <> 1 OR COALESCE(e.closed, 0) > 1
  OR COALESCE(e.drawn, 0) <> (CASE WHEN r.state IN ('drawn', 'settled') THEN 1 ELSE 0 END)
  OR COALESCE(e.settled, 0) <> (CASE WHEN r.state = 'settled' THEN 1 ELSE 0 END)
  OR COALESCE(e.unused, 0) <> (CASE WHEN r.state = 'unused' THEN 1 ELSE 0 END)
  OR e.tables <> 1 OR e.table_id <> r.table_id
  OR (t.kind = 'individual') <> (r.seat_id IS NOT NULL) OR s.table_id <> r.table_id
  OR e.seated <> (CASE WHEN r.seat_id IS NULL THEN 0 ELSE e.events END)
  OR e.first_seat_id <> r.seat_id OR e.last_seat_id <> r.seat_id
  OR r.rulebook_code <> v.rulebook_code OR r.rulebook_edition <> v.rulebook_edition
  OR (r.state = 'unused' AND EXISTS (
    SELECT 1 FROM tables_bet b WHERE b.game_round_id = r.id
    AND NOT EXISTS (SELECT 1 FROM tables_slipwithdrawal x WHERE x.slip_id = b.slip_id)
  ))
ORDER BY r.id
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
        if game_round.state in (RoundState.BETTING, RoundState.CLOSED):
            yield f"round {game_round.pk}: the seed is shown before its time"
        if game_round.drawn_at not in (None, game_round.draw.revealed_at):
            yield f"round {game_round.pk}: the seed was not shown when the number was drawn"
        if seed.hex() != game_round.draw.seed_hex or game_round.secret.algorithm != draws.ALGORITHM:
            yield f"round {game_round.pk}: seed or algorithm are not written as they were"
        if draws.commitment_of(seed) != game_round.secret.commitment:
            yield f"round {game_round.pk}: the seed is not the one committed to"
        elif game_round.winning_number is not None:
            drawn = draws.draw_number(seed, game_round.table.slug, game_round.number, game_round.client_seed)
            if drawn != game_round.winning_number:
                yield f"round {game_round.pk}: {game_round.winning_number} stands, the seed gives {drawn}"
    for round_id in GameRound.objects.filter(finished, secret__isnull=True).values_list("pk", flat=True):
        yield f"round {round_id} was drawn without a committed seed"


def _rulebooks() -> Iterator[str]:
    """Hold the rulebook that rounds were played under against the edition this software knows."""
    played = GameRound.objects.values_list("rulebook_code", "rulebook_edition", "rulebook_digest").distinct()
    for code, edition, digest in played.order_by("rulebook_code", "rulebook_edition", "rulebook_digest"):
        try:
            known = find_rulebook(code, edition).digest
        except UnknownRulebook:
            yield f"rounds were played under {code} {edition}, which is unknown"
            continue
        if known != digest:
            yield f"rounds were played under {code} {edition} with another content (digest {digest})"


CHECKS = (
    Check(
        "round_states",
        "every round went its way step by step, and each step left its time, its seal and its event",
        lambda: differences(_STATES, [], "round {0} ({1}): its state, times, seal and events say different things"),
    ),
    Check("draws", "every number follows from its seed, and every seed from its commitment", _draws),
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
