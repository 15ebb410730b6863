"""Telling of a round, in the transaction of the step that is told."""

import datetime as dt

from django.db import connection
from django.db.models import F

from tables.models import EventKind, GameRound, RoundEvent, Table


def record_event(*, game_round: GameRound, kind: EventKind, at: dt.datetime) -> RoundEvent:
    """Append the table's next event; needs a transaction.

    The table's row is locked until its end, so callers do this last: rounds of one table then wait as short as can be.
    """
    assert connection.in_atomic_block, "an event stands or falls with its step"
    Table.objects.filter(pk=game_round.table_id).update(last_event_sequence=F("last_event_sequence") + 1)
    sequence = Table.objects.values_list("last_event_sequence", flat=True).get(pk=game_round.table_id)
    return RoundEvent.objects.create(
        table_id=game_round.table_id,
        sequence=sequence,
        game_round=game_round,
        seat_id=game_round.seat_id,
        kind=kind,
        happened_at=at,
    )
