"""Sealing the books: what has come to its end is hashed as it stands, and the hashes are chained.

Rows that hold each other to something are proved by `verify` from what they say. What only one row says (who placed a
bet, when a player sat down, which document he has) nothing else can doubt: so a round when it is finished, a seat when
it is left, and each note of a changed row are sealed, all columns of them, and `verify` hashes them again. Nobody waits
for it: the sealer of the audit trail comes by every second for this as well.

Apps say what there is to seal (`register`). A finished thing is never changed again, and so the order in which a pass
meets things does not matter. With the note of a change goes a digest of the changed row itself as it then stood: the
latest one of a row is what the row must still say. Personal data is in it, so it is keyed, and tells nothing without
PERSONAL_DATA_KEY.
"""

import datetime as dt
import hashlib
import hmac
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.apps import apps
from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable

from .chain import GENESIS, LOOK_BACK, hash_of, is_alone, stable_json
from .guards import GUARDS
from .guards.watches import WATCHES
from .models import BookSeal, RowChange
from .sql import breaks_unique_key

BATCH = 200
ROW_CHANGE = "row_change"
# The key of these digests is another one than that of the encryption, and neither tells anything of the other.
_KEYED = b"roulette: digests of rows"


@dataclass(frozen=True)
class Part:
    """Rows that end together with the thing that they belong to: those of which `path` leads to its id."""

    model: type[models.Model]
    path: str
    where: Q | None = None


@dataclass(frozen=True)
class Sealed:
    """A kind of thing that is sealed with all its parts once it is `final`.

    `since` says when it became so, for those of which a row tells; `columns` are what is sealed of it, where it is not
    all of them: such as never change.
    """

    kind: str
    model: type[models.Model]
    since: Combinable | None = None
    final: Q | None = None
    parts: tuple[Part, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables whose rows are sealed with it."""
        return tuple(one._meta.db_table for one in (self.model, *(part.model for part in self.parts)))

    def waiting(self, *, everything: bool) -> QuerySet[Any]:
        """What is at its end and has no seal, in the order of ids."""
        things = self.model._default_manager.all()
        if not everything:
            newest = things.order_by("-pk").values_list("pk", flat=True).first() or 0
            things = things.filter(pk__gt=newest - LOOK_BACK)
        seal = BookSeal.objects.filter(kind=self.kind, subject_id=OuterRef("pk"))
        if self.final is not None:
            things = things.filter(self.final)
        return things.exclude(Exists(seal)).order_by("pk")

    def digests(self, ids: Collection[int]) -> dict[int, str]:
        """The digest of each of these things that there is: SHA-256 over all columns of it and of its parts."""
        contents: dict[int, dict[str, list[Any]]] = {}
        for row in self.model._default_manager.filter(pk__in=ids).values(*(self.columns or _columns(self.model))):
            contents[row[_key(self.model)]] = {self.model._meta.db_table: [told_of(self.model, row)]}
        for part in self.parts:
            rows = part.model._default_manager.filter(**{f"{part.path}__in": ids})
            if part.where is not None:
                rows = rows.filter(part.where)
            table = part.model._meta.db_table
            for row in rows.order_by("pk").values(*_columns(part.model), belongs_to=F(part.path)):
                thing = contents.get(row.pop("belongs_to"))
                if thing is not None:
                    thing.setdefault(table, []).append(told_of(part.model, row))
        return {key: hashlib.sha256(stable_json(content)).hexdigest() for key, content in contents.items()}


_registered: dict[str, Sealed] = {}


def register(*kinds: Sealed) -> None:
    """Add an app's kinds to what is sealed; called from AppConfig.ready."""
    for one in kinds:
        _registered[one.kind] = one


def kinds() -> tuple[Sealed, ...]:
    """All that is sealed: the notes of changed rows, and what the apps have named."""
    return (Sealed(ROW_CHANGE, RowChange, since=F("at")), *_registered.values())


def seal_books(*, everything: bool = False) -> int:
    """Seal what has come to its end and is not sealed yet, and return how many things that were.

    Two sealers at once do not fork the chain: the second finds the lock taken and leaves the work to the first.
    """
    sealed = 0
    for kind in kinds():
        while batch := list(kind.waiting(everything=everything).values_list("pk", flat=True)[:BATCH]):
            if not _seal_batch(kind, batch):
                return sealed
            sealed += len(batch)
    return sealed


def _seal_batch(kind: Sealed, ids: list[int]) -> bool:
    """Whether these were sealed here. They are read before the lock is taken: bets do not wait for it."""
    digests = kind.digests(ids)
    rows = changed_rows(ids) if kind.kind == ROW_CHANGE else {}
    try:
        with transaction.atomic():
            if not is_alone():
                return False
            last = BookSeal.objects.order_by("-sequence").first()
            sequence, previous = (last.sequence, last.hash) if last else (0, GENESIS)
            # What another sealer was quicker with, while this one read.
            done = set(BookSeal.objects.filter(kind=kind.kind, subject_id__in=ids).values_list("subject_id", flat=True))
            seals = []
            for subject_id in (one for one in ids if one not in done):
                sequence += 1
                seal = BookSeal(
                    sequence=sequence,
                    kind=kind.kind,
                    subject_id=subject_id,
                    digest=digests[subject_id],
                    row_digest=rows.get(subject_id, ""),
                    previous_hash=previous,
                )
                seal.hash = previous = hash_of_seal(seal)
                seals.append(seal)
            BookSeal.objects.bulk_create(seals)
    except IntegrityError as error:
        if not breaks_unique_key(error):
            raise
        return False
    return True


def hash_of_seal(seal: BookSeal) -> str:
    """The hash that the seal ought to have: over the one before it and all else that it says."""
    said = {
        "sequence": seal.sequence,
        "kind": seal.kind,
        "subject_id": seal.subject_id,
        "digest": seal.digest,
        "row_digest": seal.row_digest,
    }
    return hash_of(seal.previous_hash, said)


def changed_rows(changes: Collection[int]) -> dict[int, str]:
    """By each of these notes the keyed digest of its row as it stands now; none where the row is gone."""
    wanted: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for key, table, row_key in RowChange.objects.filter(pk__in=changes).values_list("pk", "table_name", "row_key"):
        wanted[table][row_key].append(key)
    found = {}
    for table, notes in wanted.items():
        if table not in sealed_columns():
            continue
        for row_key, digest in _row_digests(table, notes):
            found.update(dict.fromkeys(notes[row_key], digest))
    return found


def _row_digests(table: str, row_keys: Collection[str]) -> Iterator[tuple[str, str]]:
    key, columns = sealed_columns()[table]
    model = _models()[table]
    to_python = cast("models.Field[Any, Any]", model._meta.get_field(key)).to_python
    # A note of a table that was emptied names no row.
    wanted = [to_python(one) for one in row_keys if one]
    digest_key = _digest_key(settings.PERSONAL_DATA_KEY)
    for row in model._default_manager.filter(**{f"{key}__in": wanted}).values(*columns):
        told = table.encode() + b"\n" + stable_json(told_of(model, row))
        yield str(row[key]), hmac.new(digest_key, told, hashlib.sha256).hexdigest()


@cache
def _digest_key(personal_data_key: str) -> bytes:
    return hmac.new(personal_data_key.encode(), _KEYED, hashlib.sha256).digest()


@cache
def sealed_columns() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """By each watched table its key and the columns that do not change without a note: watched ones and frozen ones."""
    fixed = {guard.table: guard for guard in GUARDS}
    found = {}
    for watch in WATCHES:
        if watch.table not in _models():
            continue
        columns = _columns(_models()[watch.table])
        guard = fixed.get(watch.table)
        if guard is None or not guard.append_only:
            kept = {*watch.compared, *(guard.frozen if guard else ())}
            columns = tuple(name for name in columns if name in kept)
        found[watch.table] = (watch.key, columns)
    return found


@cache
def _models() -> Mapping[str, type[models.Model]]:
    return {one._meta.db_table: one for one in apps.get_models(include_auto_created=True)}


def told_of(model: type[models.Model], row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says, without the columns that say nothing: NULL where it may stand, else nought, false or no text.

    So a column that the table is given later changes no digest of the rows that were there before. Of each column only
    one value is left out, and so any other one in its place shows.
    """
    nothing = _nothing_of(model)
    return {
        name: value
        for name, value in row.items()
        if name not in nothing or value != nothing[name] or type(value) is not type(nothing[name])
    }


@cache
def _nothing_of(model: type[models.Model]) -> Mapping[str, Any]:
    found = dict[str, Any]()
    for field in model._meta.concrete_fields:
        if field.null:
            found[field.attname] = None
        elif isinstance(field, models.BooleanField):
            found[field.attname] = False
        elif isinstance(field, models.IntegerField):
            found[field.attname] = 0
        elif isinstance(field, models.CharField | models.TextField):
            found[field.attname] = ""
    return found


def _columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields)


def _key(model: type[models.Model]) -> str:
    assert model._meta.pk is not None
    return model._meta.pk.attname


def count_waiting_since(*, at: dt.datetime, seconds: float, everything: bool) -> dict[str, int]:
    """By kind, how many things had waited for their seal for longer than that at that instant."""
    limit = at - dt.timedelta(seconds=seconds)
    counts = {}
    for kind in kinds():
        if kind.since is None:
            continue
        if (
            count := kind.waiting(everything=everything)
            .annotate(over_since=kind.since)
            .filter(over_since__lt=limit)
            .count()
        ):
            counts[kind.kind] = count
    return counts
