"""The proofs of bets: each was allowed, and each returned what the rulebook of its round says."""

import datetime as dt
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from django.db.models import BigIntegerField, F, Min, Q, Sum
from django.db.models.functions import Mod

from roulette_site.common.verification import Check, differences
from tables.models import Bet, GameRound, RoundState, RulesStatus, Slip, SlipCall, TableKind
from tables.roulette.call_bets import FINAL, NEIGHBOURS, CallBet, InvalidCall
from tables.roulette.cloth import SPOTS
from tables.roulette.limits import Options
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import UnknownRulebook, find_rulebook
from tables.roulette.settlement import returned_cents, spot_results
from tables.selectors.bets import digest_of_bets

# Who placed a slip sat at the table, with a wallet of his own, and was in time. Nothing is said of the order of other
# instants: a clock that is set back in honest play would be called a fault for ever.
_PLACED = """
SELECT s.transfer_id FROM tables_slip s
JOIN tables_gameround r ON r.id = s.game_round_id JOIN tables_seat e ON e.id = s.seat_id
JOIN tables_table t ON t.id = r.table_id JOIN wallets_account a ON a.id = e.account_id
JOIN wallets_transfer m ON m.id = s.transfer_id
LEFT JOIN tables_bet b ON b.slip_id = s.transfer_id AND b.account_id <> e.account_id
WHERE e.table_id <> r.table_id
  OR ((t.kind = 'individual' OR r.seat_id IS NOT NULL) AND r.seat_id IS DISTINCT FROM s.seat_id)
  OR a.player_id IS NULL OR a.player_id <> e.player_id OR a.unit <> t.unit OR b.id IS NOT NULL
  OR s.placed_at >= r.closes_at OR s.placed_at > r.closed_at OR s.placed_at <> m.created_at
ORDER BY s.transfer_id
"""


# What a call needs beside its name and its unit.
_ASKED_OF = {NEIGHBOURS: {"number", "neighbours"}, FINAL: {"digit"}}


@lru_cache(maxsize=64)
def _rulebook(code: str, edition: dt.date) -> Rulebook | None:
    """The rulebook of a round; None where it is unknown, which the check of rulebooks says once."""
    try:
        return find_rulebook(code, edition)
    except UnknownRulebook:
        return None


def _limits() -> Iterator[str]:
    """Hold every bet against its round's minimum and maximum and its specific rules (rules 8, 11 to 13)."""
    live = Bet.objects.filter(slip__withdrawal__isnull=True)
    stakes = (
        live.values(
            "game_round_id",
            "account_id",
            "spot",
            code=F("game_round__rulebook_code"),
            edition=F("game_round__rulebook_edition"),
            minimum=F("game_round__minimum_cents"),
            dozens=F("game_round__rules__split_dozens_offered"),
            columns=F("game_round__rules__split_columns_offered"),
        )
        .annotate(lowest=Min("stake_cents"), total=Sum("stake_cents"))
        .order_by("game_round_id", "account_id", "spot")
    )
    for stake in stakes.iterator(chunk_size=2000):
        rulebook = _rulebook(stake["code"], stake["edition"])
        spot = SPOTS[stake["spot"]]
        where = f"round {stake['game_round_id']}, account {stake['account_id']}, {spot}"
        if stake["lowest"] < stake["minimum"]:
            yield f"{where}: a stake of {stake['lowest']} cents, the minimum is {stake['minimum']}"
        if rulebook is not None and stake["total"] > (most := rulebook.maximum_cents(spot, stake["minimum"])):
            yield f"{where}: {stake['total']} cents stand, the maximum is {most}"
        if not Options(stake["dozens"], stake["columns"]).offers(spot):
            yield f"{where}: its rules do not take this bet"
    step = F("game_round__rules__stake_step_cents")
    off_step = live.annotate(rest=Mod(F("stake_cents"), step, output_field=BigIntegerField())).exclude(rest=0)
    for bet_id in off_step.order_by("id").values_list("pk", flat=True).iterator(chunk_size=1000):
        yield f"bet {bet_id}: its stake is no multiple of the stake step"
    over = (
        live.values("game_round_id", "account_id", most=F("game_round__rules__total_limit_cents"))
        .annotate(total=Sum("stake_cents"))
        .filter(total__gt=F("most"))
        .order_by("game_round_id", "account_id")
    )
    for row in over.iterator(chunk_size=1000):
        yield f"round {row['game_round_id']}, account {row['account_id']}: {row['total']} cents of {row['most']} stand"
    undecided = (RulesStatus.DRAFT, RulesStatus.SUBMITTED, RulesStatus.REFUSED)
    for round_id in GameRound.objects.filter(rules__status__in=undecided).values_list("pk", flat=True).order_by("pk"):
        yield f"round {round_id} was played under rules that were never approved"


def _calls() -> Iterator[str]:
    """Hold every call bet on record against the bets that are its parts."""
    calls = SlipCall.objects.select_related("slip__game_round__rules").order_by("slip_id", "ordinal")
    bets = Bet.objects.filter(call_ordinal__isnull=False).order_by("slip_id", "call_ordinal", "spot", "stake_cents")
    stakes = bets.values_list("slip_id", "call_ordinal", "spot", "stake_cents").iterator(chunk_size=2000)
    # Both come in the same order, so one pass over each is enough, however many there are.
    stakes_of = groupby(stakes, key=lambda row: row[:2])
    key, group = next(stakes_of, (None, ()))
    for call in calls.iterator(chunk_size=1000):
        while key is not None and key < (call.slip_id, call.ordinal):
            key, group = next(stakes_of, (None, ()))
        stand = [row[2:] for row in group] if key == (call.slip_id, call.ordinal) else []
        try:
            parts = CallBet(call.name, call.unit_cents, call.parameters).parts
        except (InvalidCall, AttributeError, TypeError):
            parts = ()
        if not isinstance(call.parameters, dict) or set(call.parameters) != _ASKED_OF.get(call.name, set()):
            yield f"slip {call.slip_id}: what is said of {call.name} is not what is asked of it"
        if call.name not in call.slip.game_round.rules.call_bets:
            yield f"slip {call.slip_id}: its rules do not take {call.name}"
        if stand != sorted((part.spot.index, part.stake_cents) for part in parts):
            yield f"slip {call.slip_id}: the bets that stand for {call.name} are not its parts"
    orphans = Bet.objects.filter(call_ordinal__isnull=False).exclude(slip__calls__ordinal=F("call_ordinal"))
    for bet_id in orphans.order_by("id").values_list("pk", flat=True).iterator(chunk_size=1000):
        yield f"bet {bet_id} is said to be a part of a call that is not on record"


def _deadlines() -> Iterator[str]:
    """Hold the deadline of every individual round to the slip that set it, so many seconds before.

    That is the first on an empty cloth: one that was taken back since may have set it, if others stood by then. Where
    nothing stands, the deadline is taken away with the last slip, or when it has passed.
    """
    of_one = GameRound.objects.filter(table__kind=TableKind.INDIVIDUAL)
    for round_id in (
        of_one.filter(closes_at__isnull=False, slips__isnull=True).order_by("pk").values_list("pk", flat=True)
    ):
        yield f"round {round_id} has a deadline, and nothing was ever staked"
    rows = (
        Slip.objects.filter(game_round__table__kind=TableKind.INDIVIDUAL)
        .order_by("game_round_id", "transfer_id")
        .values_list(
            "game_round_id",
            "game_round__closes_at",
            "game_round__rules__launch_within_seconds",
            "placed_at",
            "withdrawal__pk",
        )
    )
    for (round_id, closes_at, seconds), slips in groupby(rows.iterator(chunk_size=2000), key=lambda row: row[:3]):
        placed = [(placed_at, taken_back is None) for *_, placed_at, taken_back in slips]
        # In the order of the lock: of two slips at once the second may have been received first.
        standing = [place for place, (_, stands) in enumerate(placed) if stands]
        if closes_at is None:
            if standing:
                yield f"round {round_id} has bets and no deadline"
            continue
        set_at = closes_at - dt.timedelta(seconds=seconds)
        setting = [place for place, (placed_at, _) in enumerate(placed) if placed_at == set_at]
        if not setting or (standing and setting[0] > standing[0]):
            yield f"round {round_id}: its deadline is not {seconds} seconds after the bet that set it"


def _outcomes() -> Iterator[str]:
    """Hold every bet against what the engine says of its spot and the round's number; unpaid rounds have no outcome."""
    rows = (
        Bet.objects.annotate(
            taken_back=Q(slip__withdrawal__isnull=False),
            is_settled=Q(game_round__state=RoundState.SETTLED),
            winning=F("game_round__winning_number"),
            code=F("game_round__rulebook_code"),
            edition=F("game_round__rulebook_edition"),
            outcome=F("outcomes__kind"),
            revision=F("outcomes__revision"),
            outcome_round=F("outcomes__game_round_id"),
            returned=F("outcomes__returned_cents"),
            rank=F("outcomes__payment_rank"),
        )
        .order_by("game_round_id", "id")
        .values_list(
            "game_round_id",
            "code",
            "edition",
            "winning",
            "is_settled",
            "id",
            "spot",
            "stake_cents",
            "taken_back",
            "outcome",
            "returned",
            "rank",
            "revision",
            "outcome_round",
        )
    )
    for (round_id, code, edition, winning, is_settled), bets in groupby(
        rows.iterator(chunk_size=2000), key=lambda row: row[:5]
    ):
        rulebook = _rulebook(code, edition)
        if rulebook is None:
            yield f"round {round_id}: nothing can be said of its bets, {code} {edition} is unknown"
            continue
        results = spot_results(rulebook, winning) if is_settled else None
        before = None
        for *_, bet_id, spot, stake, taken_back, kind, returned, rank, revision, outcome_round in bets:
            due: tuple[object, object, object] = (None, None, None)
            if results is not None and not taken_back and results[spot].kind != "lost":
                result = results[spot]
                due = (result.kind, returned_cents(result, stake), rulebook.payment_rank(SPOTS[spot]))
            # Corrections of an outcome are still to come: until then a bet has one, in its own round.
            if bet_id == before or (kind is not None and (revision, outcome_round) != (0, round_id)):
                yield f"round {round_id}, bet {bet_id} on {SPOTS[spot]}: it has another outcome beside its own"
            before = bet_id
            if (kind, returned, rank) != due:
                yield (
                    f"round {round_id}, bet {bet_id} on {SPOTS[spot]}: {kind} {returned} stands,"
                    f" the rulebook says {due[0]} {due[1]}"
                )


def _bets_digests() -> Iterator[str]:
    """Recompute the digest that was sealed at closing."""
    rounds = GameRound.objects.filter(bets_digest__isnull=False).order_by("id")
    for round_id, sealed in rounds.values_list("pk", "bets_digest").iterator(chunk_size=1000):
        if digest_of_bets(round_id) != sealed:
            yield f"round {round_id}: the bets are not those that stood at closing"


CHECKS = (
    Check(
        "placed",
        "every slip was placed in time, from the player's own wallet, at the table where he sat",
        lambda: differences(_PLACED, [], "slip {0} was placed too early or late, or not from the seat that it names"),
    ),
    Check(
        "limits",
        "every bet is one that its round and its rules take, within minimum, step, maximum and total limit",
        _limits,
    ),
    Check("deadlines", "every individual round closes so long after its first bet as its rules say", _deadlines),
    Check("calls", "every call bet is its parts", _calls),
    Check("outcomes", "every bet returned what the rulebook says of it and the number", _outcomes),
    Check("bets_digests", "the bets of every round are those that stood at closing", _bets_digests),
)
