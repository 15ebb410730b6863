"""The steps of a round: open, close, draw, settle. Each is a compare-and-set inside one transaction, safe to run twice.

A Celery task makes them prompt, the sweep makes them certain; both call these functions, and so does `manage.py sweep`.
"""

import datetime as dt
from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.models import F, Max

from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from tables import draws
from tables.locks import exclude_from_round
from tables.models import (
    EventKind,
    GameRound,
    RoundDraw,
    RoundSeed,
    RoundState,
    Seat,
    Slip,
    Table,
    TableState,
)
from tables.selectors.bets import digest_of_bets, live_bets

from .events import record_event

# Bets that the server received in time may still be on their way to the lock.
CLOSING_GRACE = dt.timedelta(milliseconds=50)
# What becomes of a round once its ball runs, where nothing goes wrong.
_LAUNCHED = (RoundState.CLOSED, RoundState.DRAWN, RoundState.SETTLED)


class NoSuchRound(RuleBroken):
    """A player launches his own ball alone."""

    code = "no_such_round"
    http_status = 404


class NothingStaked(RuleBroken):
    """A ball is launched only after a bet has been placed (rule 17)."""

    code = "nothing_staked"


class BettingClosed(RuleBroken):
    """The round takes no more bets."""

    code = "betting_closed"


def open_round(
    *,
    table: Table,
    seat: Seat | None,
    key: bytes,
    at: dt.datetime,
    fresh_seed: Callable[[], bytes] = draws.fresh_seed,
) -> GameRound | None:
    """Open the next round of a drawn table, its seed stored and committed to; None where one is open already.

    On an individual table the round is the seat's own. Only a worker has the `key` that the seed is sealed under.
    """
    seed = fresh_seed()
    try:
        with transaction.atomic():
            # The counter's row is the lock that makes numbers gap-free, and a refused round gives its number back.
            Table.objects.filter(pk=table.pk).update(last_round_number=F("last_round_number") + 1)
            table = Table.objects.select_related("rules").get(pk=table.pk)
            if table.state != TableState.OPEN or (
                seat is not None and Seat.objects.get(pk=seat.pk).left_at is not None
            ):
                transaction.set_rollback(True)
                return None
            rulebook = table.rules.rulebook
            game_round = GameRound.objects.create(
                table=table,
                number=table.last_round_number,
                seat=seat,
                rules=table.rules,
                rulebook_code=rulebook.code,
                rulebook_edition=rulebook.edition,
                rulebook_digest=rulebook.digest,
                minimum_cents=table.minimum_cents,
                opened_at=at,
            )
            RoundSeed.objects.create(
                game_round=game_round,
                algorithm=draws.ALGORITHM,
                commitment=draws.commitment_of(seed),
                sealed_seed=draws.seal(seed, key, _bound_to(game_round)),
            )
            record_event(game_round=game_round, kind=EventKind.BETTING, at=at)
            return game_round
    except IntegrityError:
        # Another worker was first: one unfinished round per seat is a constraint of the database.
        return None


def close_round(*, game_round_id: int, at: dt.datetime, launched: bool = False) -> bool:
    """Close the bets and seal the digest of all that stand; True if this call did it.

    `launched` is the player's own launch, which needs no deadline to have passed but a bet to stand (rule 17). Raises
    NothingStaked for a launch without a bet, BettingClosed for a launch of a round that is closed already.
    """
    with transaction.atomic():
        exclude_from_round(game_round_id)
        game_round = GameRound.objects.get(pk=game_round_id)
        if game_round.state != RoundState.BETTING:
            if launched:
                raise BettingClosed("The ball has been launched: this round takes no more bets.")
            return False
        due = game_round.closes_at is not None and game_round.closes_at + CLOSING_GRACE <= at
        if not (launched or due):
            return False
        if game_round.seat_id is not None and not live_bets(game_round_id).exists():
            if launched:
                raise NothingStaked("Place a bet before you launch the ball.")
            # Every slip was taken back: an individual round without a bet stays open, without a deadline.
            GameRound.objects.filter(pk=game_round_id).update(closes_at=None)
            return False
        _close(game_round, at)
    return True


def end_round_of_leaver(*, game_round: GameRound, at: dt.datetime) -> None:
    """End an individual round whose player gets up: bets that stand are played and valid, an unused round is marked."""
    with transaction.atomic():
        exclude_from_round(game_round.pk)
        game_round.refresh_from_db()
        if game_round.state != RoundState.BETTING:
            return
        if live_bets(game_round.pk).exists():
            _close(game_round, at)
            return
        GameRound.objects.filter(pk=game_round.pk).update(state=RoundState.UNUSED, closed_at=at)
        record_event(game_round=game_round, kind=EventKind.UNUSED, at=at)
        after_commit("tables.tasks.advance_round", "rounds", game_round_id=game_round.pk)


def _close(game_round: GameRound, at: dt.datetime) -> None:
    # A bet that was received after the launch may still have had the lock before it: closed is closed after its last.
    last = Slip.objects.filter(game_round=game_round).aggregate(at=Max("placed_at"))["at"]
    closed_at = max(at, last) if last is not None else at
    GameRound.objects.filter(pk=game_round.pk).update(
        state=RoundState.CLOSED, closed_at=closed_at, bets_digest=digest_of_bets(game_round.pk)
    )
    record_event(game_round=game_round, kind=EventKind.CLOSED, at=closed_at)
    after_commit("tables.tasks.advance_round", "rounds", game_round_id=game_round.pk)


def draw_round(*, game_round_id: int, key: bytes, at: dt.datetime) -> bool:
    """Draw the number of a closed round and show its seed; True if this call did it.

    Raises SeedDoesNotMatch where the machine finds the seed tampered with: then no number stands.
    """
    with transaction.atomic():
        game_round = GameRound.objects.select_for_update(no_key=True).get(pk=game_round_id)
        if game_round.state != RoundState.CLOSED:
            return False
        seed = _open_seed(game_round, key)
        table = Table.objects.get(pk=game_round.table_id)
        number = draws.draw_number(seed, table.slug, game_round.number, game_round.client_seed)
        GameRound.objects.filter(pk=game_round_id, state=RoundState.CLOSED).update(
            state=RoundState.DRAWN, winning_number=number, drawn_at=at
        )
        RoundDraw.objects.create(game_round=game_round, seed_hex=seed.hex(), revealed_at=at)
        record_event(game_round=game_round, kind=EventKind.DRAWN, at=at)
    return True


def reveal_unused(*, game_round_id: int, key: bytes, at: dt.datetime) -> bool:
    """Show the seed of a round that ended without a bet; True if this call did it."""
    with transaction.atomic():
        game_round = GameRound.objects.select_for_update(no_key=True).get(pk=game_round_id)
        if game_round.state != RoundState.UNUSED or RoundDraw.objects.filter(pk=game_round_id).exists():
            return False
        RoundDraw.objects.create(game_round=game_round, seed_hex=_open_seed(game_round, key).hex(), revealed_at=at)
    return True


def _open_seed(game_round: GameRound, key: bytes) -> bytes:
    secret = RoundSeed.objects.get(pk=game_round.pk)
    return draws.unseal(bytes(secret.sealed_seed), key, _bound_to(game_round), secret.commitment)


def _bound_to(game_round: GameRound) -> str:
    return f"{game_round.table_id}/{game_round.number}"


def launch_ball(*, seat: Seat, at: dt.datetime, game_round_id: int | None = None) -> GameRound:
    """Launch the ball of the seat's round (rule 17): the player is done betting, a worker draws and settles.

    `game_round_id` says which round is meant. Sent again it then launches no other, and is answered with the round as
    it stands: what was asked for has happened. Raises NoSuchRound for a round that is not the seat's, BettingClosed
    where no round takes bets, NothingStaked without a bet on the cloth.
    """
    rounds = GameRound.objects.filter(seat=seat)
    if game_round_id is None:
        game_round = rounds.filter(state=RoundState.BETTING).first()
    elif (game_round := rounds.filter(pk=game_round_id).first()) is None:
        raise NoSuchRound("There is no such round of yours.")
    if game_round is None:
        raise BettingClosed("No round takes bets at this moment.")
    try:
        close_round(game_round_id=game_round.pk, at=at, launched=True)
    except BettingClosed:
        game_round.refresh_from_db()
        if game_round_id is None or game_round.state not in _LAUNCHED:
            raise
    return game_round
