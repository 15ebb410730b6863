"""Sealing the audit trail: each entry gets a number without a gap, and a hash over the seal before it.

Acts do not wait for this: one sealer comes by every second.
"""

import datetime as dt

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from .chain import GENESIS, LOOK_BACK, hash_of, is_alone
from .models import AuditEntry, AuditSeal
from .sql import breaks_unique_key

BATCH = 500

# What of an entry is hashed: everything that is stored of it.
HASHED = tuple(field.attname for field in AuditEntry._meta.concrete_fields)


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
                if not is_alone():
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
