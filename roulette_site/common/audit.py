"""The audit trail: acts append plain rows to it in their own transaction, without a lock.

`record` writes an entry. An act that changes rows of a watched table (roulette_site/common/guards/watches.py) does so
inside `audited()`, and records inside it as well: what the database's own triggers note of those rows then carries the
same key as the entry. The sealer (audit_chain.py) chains the entries afterwards.
"""

import datetime as dt
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet

from .models import AuditEntry
from .reasons import ADDRESS
from .request_ids import current_request_id

SETTING = "audit.act_key"
_PUT_IN_HAND = "INSERT OR REPLACE INTO common_actinhand (id, act_key) VALUES (1, %s)"
_NONE_IN_HAND = "DELETE FROM common_actinhand"

_ACTOR = re.compile(r"(system|(player|staff|api|provider|register|command):[A-Za-z0-9._-]{1,50})\Z")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,38}\Z")
_ID = re.compile(r"[A-Za-z0-9._:-]{1,60}\Z")
# What the trail must never hold, under the names that a careless caller would give it.
_PERSONAL = frozenset({"email", "e_mail", "full_name", "first_name", "last_name", "name_of_person", "birth_date",
                       "document", "document_number", "phone", "password", "address"})  # fmt: skip

_act_key = ContextVar("act_key", default="")

Json = Any


def actor_of(user: Any) -> str:
    """How the trail names a member of the staff."""
    return f"staff:{user.pk}"


def via_of(key: str) -> dict[str, str]:
    """What an entry says beside its actor where he acted through a system: the key that it has ("api:AbCd1234")."""
    return {"via": key} if key else {}


def record(
    *,
    act: str,
    actor: str,
    subject: tuple[str, object],
    at: dt.datetime,
    before: Mapping[str, Json] | None = None,
    after: Mapping[str, Json] | None = None,
    reason: str = "",
) -> AuditEntry:
    """Append an entry to the trail, in the transaction of the act that it tells of.

    `subject` is a kind and an id, such as ("player", 12). What is given must be ids and plain values: ValueError tells
    the programmer of a name, an address or a value that JSON does not keep exactly (a float).
    """
    assert connection.in_atomic_block, "an entry stands or falls with its act"
    kind, subject_id = subject[0], str(subject[1])
    if not _ACTOR.match(actor):
        raise ValueError(f"{actor!r} names no actor by an id.")
    if not (_NAME.match(act) and _NAME.match(kind) and _ID.match(subject_id)):
        raise ValueError(f"{act!r} on {kind!r} {subject_id!r} is no act on an object named by an id.")
    if at.tzinfo is None:
        raise ValueError("An act happens at an instant, which has a time zone.")
    for values in (before, after):
        _check_values(values)
    return AuditEntry.objects.create(
        at=at,
        actor=actor,
        act=act,
        subject_kind=kind,
        subject_id=subject_id,
        before=before,
        after=after,
        reason=reason,
        request_id=current_request_id(),
        act_key=_act_key.get(),
    )


def _check_values(value: Json) -> None:
    """Raise ValueError where the value is not one that both databases give back exactly as they got it."""
    match value:
        case None | bool():
            return
        case int():
            # Beyond this, readers of JSON in other languages begin to round.
            if abs(value) >= 2**53:
                raise ValueError(f"{value} is too great for the trail.")
        case str():
            if "\0" in value or (not value.isascii() and any("\ud800" <= one <= "\udfff" for one in value)):
                raise ValueError("The trail keeps text that can be read.")
            if ADDRESS.search(value):
                raise ValueError("The trail holds ids, never an address.")
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str) or key in _PERSONAL:
                    raise ValueError(f"The trail holds no {key!r}.")
                _check_values(inner)
        case list() | tuple():
            for inner in value:
                _check_values(inner)
        case _:
            raise ValueError(f"The trail does not keep a {type(value).__name__}.")


@contextmanager
def audited() -> Iterator[None]:
    """Let what the database notes of watched rows inside belong to what is recorded inside; one transaction.

    The innermost block counts. A change inside a block in which nothing is recorded stays without an entry, and
    `verify` reports it.
    """
    outer, mine = _act_key.get(), uuid.uuid4().hex
    with transaction.atomic():
        token = _act_key.set(mine)
        try:
            _tell_database(mine)
            yield
            # After an exception the rollback of the savepoint, or of the whole, does this.
            _tell_database(outer)
        finally:
            _act_key.reset(token)


def is_act_in_hand() -> bool:
    """Whether some act's block is open, which will record what is done in it."""
    return bool(_act_key.get())


def _tell_database(act_key: str) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, act_key])
        elif act_key:
            cursor.execute(_PUT_IN_HAND, [act_key])
        else:
            cursor.execute(_NONE_IN_HAND)


def facts_of(row: Model, *fields: str) -> dict[str, Json]:
    """Fields of a row as the trail keeps them: plain values, instants as text, other rows by their keys."""
    said: dict[str, Json] = {}
    for name in fields:
        field = row._meta.get_field(name)
        value = getattr(row, field.attname)  # type: ignore[union-attr]
        plain = value is None or isinstance(value, bool | int | str | list | dict)
        said[name] = value if plain else value.isoformat() if hasattr(value, "isoformat") else str(value)
    return said


def trail_of(kind: str, subject_id: object) -> QuerySet[AuditEntry]:
    """The entries of one object, the latest first."""
    return AuditEntry.objects.filter(subject_kind=kind, subject_id=str(subject_id)).order_by("-id")


def search_trail(entries: QuerySet[AuditEntry], term: str) -> QuerySet[AuditEntry]:
    """Those of the entries whose subject ("player:12"), actor, act or request is the term."""
    kind, _, subject_id = term.strip().partition(":")
    found = Q(actor=term) | Q(request_id=term) | Q(act=term)
    found |= Q(subject_kind=kind, subject_id=subject_id) if subject_id else Q(subject_kind=kind)
    return entries.filter(found)
