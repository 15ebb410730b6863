"""The proofs of the sealed books: the chain of their seals, and that what was sealed still stands as it was."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence

from django.conf import settings
from django.db.models import Exists, OuterRef

from .book_seals import ROW_CHANGE, Sealed, changed_rows, count_waiting_since, hash_of_seal, kinds
from .chain import GENESIS
from .models import BookSeal, RowChange
from .sql import database_now
from .verification import Check

_BATCH = 500


def _chain() -> Iterator[str]:
    sequence, previous = 0, GENESIS
    for seal in BookSeal.objects.order_by("sequence").iterator(chunk_size=_BATCH):
        if seal.sequence != sequence + 1:
            yield f"between seals {sequence} and {seal.sequence} of the books others are missing"
        elif seal.previous_hash != previous:
            yield f"seal {seal.sequence} of the books was not made over the seal before it"
        if seal.hash != hash_of_seal(seal):
            yield f"seal {seal.sequence} of the books does not say what it was made over: it was edited"
        sequence, previous = seal.sequence, seal.hash


def _sealed() -> Iterator[str]:
    for kind in kinds():
        after = -1
        while batch := _seals_after(kind, after):
            digests = kind.digests([seal.subject_id for seal in batch])
            for seal in batch:
                if seal.subject_id not in digests:
                    yield f"{_words(seal)} was sealed, and is not there"
                elif digests[seal.subject_id] != seal.digest:
                    yield f"{_words(seal)} does not stand as it was sealed"
            if kind.kind == ROW_CHANGE:
                yield from _changed(batch)
            after = batch[-1].subject_id


def _seals_after(kind: Sealed, after: int) -> Sequence[BookSeal]:
    seals = BookSeal.objects.filter(kind=kind.kind, subject_id__gt=after)
    return list(seals.order_by("subject_id")[:_BATCH])


def _changed(batch: Sequence[BookSeal]) -> Iterator[str]:
    """What the last note of a row was sealed with is what the row says now."""
    notes = RowChange.objects.filter(pk__in=[seal.subject_id for seal in batch])
    later = RowChange.objects.filter(
        table_name=OuterRef("table_name"), row_key=OuterRef("row_key"), pk__gt=OuterRef("pk")
    )
    last = {
        pk: f"{table} {key}"
        for pk, table, key in notes.exclude(Exists(later)).values_list("pk", "table_name", "row_key")
    }
    rows = changed_rows(last)
    for seal in batch:
        if seal.subject_id in last and rows.get(seal.subject_id, "") != seal.row_digest:
            yield f"{last[seal.subject_id]} does not stand as its last change, {seal.subject_id}, was sealed"


def _words(seal: BookSeal) -> str:
    return f"{seal.kind.replace('_', ' ')} {seal.subject_id} (seal {seal.sequence} of the books)"


def find_waiting(*, at: dt.datetime, everything: bool) -> Iterator[str]:
    """Say what has waited too long for its seal at that instant of the database's clock."""
    seconds = settings.AUDIT_ALARM_SECONDS
    for kind, count in count_waiting_since(at=at, seconds=seconds, everything=everything).items():
        yield f"{kind.replace('_', ' ')} without a seal after {seconds} seconds: {count}; the sealer does not run"


def _waiting(now: Callable[[], dt.datetime] = database_now) -> Iterator[str]:
    return find_waiting(at=now(), everything=True)


CHECKS = (
    Check("book_chain", "no seal of the books is missing, and each was made over the one before it", _chain),
    Check(
        "books",
        "every round that is over, every seat that was left and every noted row stands as it was sealed",
        _sealed,
    ),
    Check("books_waiting", "nothing that is over waits too long for its seal", _waiting),
)
