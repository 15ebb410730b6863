"""Sealing the audit trail: each entry gets a number without a gap, and a hash over the seal before it.

Acts do not wait for this: one sealer comes by every second. The hash is over what stands in the row, in a form that
both databases give back byte for byte: JSON with sorted keys and no white space, instants in UTC to the microsecond.
"""

import datetime as dt
import hashlib
import json
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from .models import AuditEntry, AuditSeal
from .sql import breaks_unique_key

GENESIS = "0" * 64
BATCH = 500
# How many ids the pass of every second looks back over. An entry of a transaction that stayed open while so many others
# were written is found by the pass over everything, once a minute.
LOOK_BACK = 2_000
# The lock of the sealer alone ("seal" in ASCII); no act takes it.
_LOCK = 0x7365616C

# What of an entry is hashed: everything that is stored of it.
HASHED = tuple(field.attname for field in AuditEntry._meta.concrete_fields)


def stable_json(values: dict[str, Any]) -> bytes:
    """The one way in which values are written down to be hashed."""

    def instant(value: Any) -> str:
        assert isinstance(value, dt.datetime), f"an entry holds no {type(value).__name__}"
        return value.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=instant)
    return text.encode("ascii")


def hash_of(previous_hash: str, stored: dict[str, Any]) -> str:
    """The seal's hash: SHA-256 over the hash before it, a line feed, and the stored entry as stable JSON."""
    return hashlib.sha256(previous_hash.encode("ascii") + b"\n" + stable_json(stored)).hexdigest()


def unsealed(*, everything: bool) -> QuerySet[AuditEntry]:
    """Entries without a seal, in the order of their ids."""
    entries = AuditEntry.objects.filter(seal__isnull=True).order_by("id")
    if everything:
        return entries
    newest = AuditEntry.objects.order_by("-id").values_list("id", flat=True).first() or 0
    return entries.filter(id__gt=newest - LOOK_BACK)


def seal_entries(*, everything: bool = False) -> int:
    """Seal what is not sealed yet, and return how many entries that were.

    Two sealers at once do not fork the chain: the second finds the lock taken and leaves the work to the first; if it
    came past the lock, the unique sequence would refuse it.
    """
    sealed = 0
    while unsealed(everything=everything).exists():
        try:
            with transaction.atomic():
                if not _is_alone():
                    break
                done = _seal_batch(everything=everything)
        except IntegrityError as error:
            if not breaks_unique_key(error):
                raise
            break
        sealed += done
        if done == 0:
            break
    return sealed


def _is_alone() -> bool:
    """Take the sealer's lock until the end of the transaction; on SQLite whoever writes is alone."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def _seal_batch(*, everything: bool) -> int:
    last = AuditSeal.objects.order_by("-sequence").first()
    sequence, previous = (last.sequence, last.hash) if last else (0, GENESIS)
    seals = []
    # Values as they are stored: what an instance was made from may say the same otherwise.
    for stored in unsealed(everything=everything).values(*HASHED)[:BATCH]:
        sequence += 1
        fresh = hash_of(previous, stored)
        seals.append(AuditSeal(entry_id=stored["id"], sequence=sequence, previous_hash=previous, hash=fresh))
        previous = fresh
    AuditSeal.objects.bulk_create(seals)
    return len(seals)


def count_unsealed_since(*, at: dt.datetime, seconds: float, everything: bool) -> int:
    """How many entries had waited for their seal for longer than that, at that instant of the database's clock."""
    return unsealed(everything=everything).filter(recorded_at__lt=at - dt.timedelta(seconds=seconds)).count()
