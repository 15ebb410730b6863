"""The proofs of the audit trail: edit, gap and fork told apart, and what was changed without an entry."""

import datetime as dt
from collections.abc import Callable, Iterator
from itertools import chain

from django.conf import settings
from django.db import connection

from .audit_chain import HASHED, count_unsealed_since
from .chain import GENESIS, hash_of
from .four_eyes import find_unrecorded
from .guards.watches import WATCHES
from .models import AuditSeal
from .sql import database_now
from .verification import Check, differences

# Where a seal does not begin at the hash of the one before it, and no fork explains it.
_SEALED_ANEW = f"""
SELECT s.sequence FROM common_auditseal s LEFT JOIN common_auditseal p ON p.sequence = s.sequence - 1
WHERE (s.sequence = 1 AND s.previous_hash <> '{GENESIS}' OR p.hash <> s.previous_hash)
  AND (SELECT count(*) FROM common_auditseal o WHERE o.previous_hash = s.previous_hash) = 1
ORDER BY s.sequence
"""

_MISSING_SEALS = """
SELECT n.before, n.sequence FROM (
  SELECT sequence, COALESCE(LAG(sequence) OVER (ORDER BY sequence), 0) AS before FROM common_auditseal
) n WHERE n.sequence > n.before + 1 ORDER BY n.sequence
"""

_MISSING_ENTRIES = """
SELECT s.sequence, s.entry_id FROM common_auditseal s LEFT JOIN common_auditentry e ON e.id = s.entry_id
WHERE e.id IS NULL ORDER BY s.sequence
"""

_ONE_PREDECESSOR = """
SELECT previous_hash, count(*) FROM common_auditseal GROUP BY previous_hash HAVING count(*) > 1 ORDER BY previous_hash
"""

_ONE_NUMBER = "SELECT sequence, count(*) FROM common_auditseal GROUP BY sequence HAVING count(*) > 1 ORDER BY sequence"

# A change and the entry of its act are written in one transaction. The key of an act of long ago is borrowed.
LONGEST_ACT_SECONDS = 15 * 60
_WITHOUT_ENTRY = """
SELECT c.id, c.operation, c.table_name, c.row_key, c.at FROM common_rowchange c
WHERE NOT EXISTS (
  SELECT 1 FROM common_auditentry e WHERE e.act_key = c.act_key AND e.act_key <> '' AND abs({apart}) <= %s
) ORDER BY c.id
"""
_APART = {
    "sqlite": "(julianday(c.at) - julianday(e.recorded_at)) * 86400",
    "postgresql": "extract(epoch FROM c.at - e.recorded_at)",
}


def _edits() -> Iterator[str]:
    columns = {f"entry__{name}": name for name in HASHED}
    seals = AuditSeal.objects.filter(entry__id__isnull=False).order_by("sequence")
    for row in seals.values("sequence", "previous_hash", "hash", *columns).iterator(chunk_size=500):
        stored = {name: row[key] for key, name in columns.items()}
        if hash_of(row["previous_hash"], stored) != row["hash"]:
            yield f"entry {stored['id']} (seal {row['sequence']}) does not say what was sealed: it was edited"
    yield from differences(_SEALED_ANEW, [], "seal {0} was not made over the seal before it: that one was made anew")


def _gaps() -> Iterator[str]:
    missing = "between seals {0} and {1} of the chain others are missing"
    removed = "seal {0} stands, and its entry {1} was removed"
    return chain(differences(_MISSING_SEALS, [], missing), differences(_MISSING_ENTRIES, [], removed))


def _forks() -> Iterator[str]:
    same_predecessor = "{1} seals follow the same one, {0}: the chain forks"
    same_number = "{1} seals have the number {0}: the chain forks"
    return chain(differences(_ONE_PREDECESSOR, [], same_predecessor), differences(_ONE_NUMBER, [], same_number))


def find_unsealed(*, at: dt.datetime, everything: bool) -> Iterator[str]:
    """Say that entries have waited too long for their seal, if any have at that instant of the database's clock."""
    seconds = settings.AUDIT_ALARM_SECONDS
    count = count_unsealed_since(at=at, seconds=seconds, everything=everything)
    if count:
        yield f"audit entries without a seal after {seconds} seconds: {count}; the sealer does not run"


def _unsealed(now: Callable[[], dt.datetime] = database_now) -> Iterator[str]:
    return find_unsealed(at=now(), everything=True)


def _unrecorded() -> Iterator[str]:
    sql = _WITHOUT_ENTRY.format(apart=_APART[connection.vendor])
    sentence = "change {0}, {1} of {2} {3} at {4}, was made without an audit entry"
    return differences(sql, [LONGEST_ACT_SECONDS], sentence)


# Whose coming the database notes has its note, or came while the triggers were away.
_UNNOTED = """
SELECT CAST(t.{key} AS text) FROM {table} t
WHERE ({inserted}) AND NOT EXISTS (
  SELECT 1 FROM common_rowchange c WHERE c.table_name = '{table}' AND c.row_key = CAST(t.{key} AS text)
) ORDER BY t.{key}
"""


def _unnoted() -> Iterator[str]:
    for watch in WATCHES:
        if watch.inserted:
            sql = _UNNOTED.format(table=watch.table, key=watch.key, inserted=watch.inserted.replace("NEW.", "t."))
            yield from differences(sql, [], f"{watch.table} {{0}} is there, and nothing says that it came")


# An act leaves one entry of each kind, and the database one note of each change. Copies tell of what has not happened.
_ENTRY_TWICE = """
SELECT min(e.id), count(*) FROM common_auditentry e
GROUP BY e.act_key, e.act, e.actor, e.subject_kind, e.subject_id, e.at, e.request_id, e.reason,
  CASE WHEN e.act_key = '' THEN e.recorded_at END,
  CAST(e.before AS text), CAST(e.after AS text)
HAVING count(*) > 1 ORDER BY 1
"""

# One act is done in one transaction, of one request.
_ACT_TWICE = """
SELECT min(e.id), max(e.id) FROM common_auditentry e WHERE e.act_key <> '' GROUP BY e.act_key
HAVING min(e.request_id) <> max(e.request_id) OR {apart} > %s ORDER BY 1
"""
_ACT_APART = {
    "sqlite": "(julianday(max(e.recorded_at)) - julianday(min(e.recorded_at))) * 86400",
    "postgresql": "extract(epoch FROM max(e.recorded_at) - min(e.recorded_at))",
}

_CHANGE_TWICE = """
SELECT min(c.id), count(*), c.table_name, c.row_key FROM common_rowchange c
GROUP BY c.table_name, c.row_key, c.operation, c.at, c.act_key, CAST(c.columns AS text)
HAVING count(*) > 1 ORDER BY 1
"""


def _copies() -> Iterator[str]:
    apart = _ACT_TWICE.format(apart=_ACT_APART[connection.vendor])
    yield from differences(_ENTRY_TWICE, [], "entry {0} stands {1} times")
    yield from differences(apart, [LONGEST_ACT_SECONDS], "entries {0} and {1} are said to be of one act")
    yield from differences(_CHANGE_TWICE, [], "change {0} of {2} {3} stands {1} times")


CHECKS = (
    Check("audit_edits", "every audit entry says what was sealed, and every seal is over the one before it", _edits),
    Check("audit_gaps", "no number is missing in the audit chain, and no entry of it", _gaps),
    Check("audit_forks", "every seal of the audit chain has a number and a predecessor of its own", _forks),
    Check("audit_copies", "every entry of the audit trail and every note of a change stands once", _copies),
    Check("audit_sealed", "no audit entry waits too long for its seal", _unsealed),
    Check("requests", "every request of two people was asked for and answered as the trail says", find_unrecorded),
    Check(
        "row_changes",
        "every change of people, rights, protection, requests, rules, tables, and money beside the game has its entry",
        _unrecorded,
    ),
    Check("noted", "every row whose coming the database notes has a note of it", _unnoted),
)
