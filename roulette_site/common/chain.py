"""How a chain of hashes is made, whatever is chained: each link is over the hash before it and what it stands for.

What is hashed is written down in a form that both databases give back byte for byte: JSON with sorted keys and no white
space, instants in UTC to the microsecond.
"""

import datetime as dt
import hashlib
import json
from typing import Any

from django.db import connection

GENESIS = "0" * 64
# How many ids the pass of every second looks back over. What was written by a transaction that stayed open while so
# many others were is found by the pass over everything, once a minute.
LOOK_BACK = 2_000
# The lock of whoever seals ("seal" in ASCII); no act takes it.
_LOCK = 0x7365616C


def _plain(value: Any) -> str:
    match value:
        case dt.datetime():
            return value.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case dt.date() | dt.time():
            return value.isoformat()
        case bytes() | memoryview():
            return bytes(value).hex()
    raise TypeError(f"No chain is made over a {type(value).__name__}.")


def stable_json(values: Any) -> bytes:
    """The one way in which values are written down to be hashed; TypeError for what both databases might tell apart."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=_plain)
    return text.encode("ascii")


def hash_of(previous_hash: str, stored: Any) -> str:
    """The hash of a link: SHA-256 over the hash before it, a line feed, and what it stands for as stable JSON."""
    return hashlib.sha256(previous_hash.encode("ascii") + b"\n" + stable_json(stored)).hexdigest()


def is_alone() -> bool:
    """Take the sealer's lock until the end of the transaction; on SQLite whoever writes is alone."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])
