"""Moving rounds on: what the tasks call for one round, and the sweep for every round that is overdue."""

import datetime as dt
import logging
from collections.abc import Callable

from django.db.models import Q, QuerySet

from tables import draws
from tables.models import UNFINISHED, GameRound, NumberSource, RoundState, Seat, TableKind, TableState

from .rounds import CLOSING_GRACE, close_round, draw_round, open_round, reveal_unused
from .settlement import settle_round

logger = logging.getLogger(__name__)


def advance_round(
    *,
    game_round_id: int,
    key: bytes,
    now: Callable[[], dt.datetime],
    fresh_seed: Callable[[], bytes] = draws.fresh_seed,
) -> None:
    """Take a round as far as it can go: close it if it is due, draw it, settle it, and open the seat's next.

    Each step commits by itself; whoever comes second finds nothing to do.
    """
    close_round(game_round_id=game_round_id, at=now())
    reveal_unused(game_round_id=game_round_id, key=key, at=now())
    draw_round(game_round_id=game_round_id, key=key, at=now())
    settle_round(game_round_id=game_round_id, at=now())
    seat = Seat.objects.filter(rounds=game_round_id, left_at__isnull=True).first()
    if seat is not None:
        open_individual_round(seat_id=seat.pk, key=key, at=now(), fresh_seed=fresh_seed)


def open_individual_round(
    *, seat_id: int, key: bytes, at: dt.datetime, fresh_seed: Callable[[], bytes] = draws.fresh_seed
) -> GameRound | None:
    """Open the next round of a seat that has none; None where there is nothing to open."""
    seat = _seats_without_round().filter(pk=seat_id).select_related("table").first()
    return None if seat is None else open_round(table=seat.table, seat=seat, key=key, at=at, fresh_seed=fresh_seed)


def sweep(*, key: bytes, now: Callable[[], dt.datetime]) -> int:
    """Move on whatever is overdue, however the last worker died; returns how many rounds it looked after.

    One round that fails is logged and does not stop the others.
    """
    due = GameRound.objects.filter(
        Q(state=RoundState.BETTING, closes_at__lte=now() - CLOSING_GRACE)
        | Q(state__in=(RoundState.CLOSED, RoundState.DRAWN), table__number_source=NumberSource.DRAWN)
        | Q(state=RoundState.UNUSED, draw__isnull=True)
    ).order_by("id")
    game_round_ids = list(due.values_list("pk", flat=True))
    seat_ids = list(_seats_without_round().values_list("pk", flat=True))
    for game_round_id in game_round_ids:
        try:
            advance_round(game_round_id=game_round_id, key=key, now=now)
        except Exception:
            logger.exception("round %s could not be moved on", game_round_id)
    for seat_id in seat_ids:
        try:
            open_individual_round(seat_id=seat_id, key=key, at=now())
        except Exception:
            logger.exception("no round could be opened for seat %s", seat_id)
    return len(game_round_ids) + len(seat_ids)


def _seats_without_round() -> QuerySet[Seat]:
    return Seat.objects.filter(
        left_at__isnull=True,
        table__kind=TableKind.INDIVIDUAL,
        table__number_source=NumberSource.DRAWN,
        table__state=TableState.OPEN,
    ).exclude(rounds__state__in=UNFINISHED)
