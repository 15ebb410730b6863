"""The keys of calls and forms that move money."""

import re
import uuid

from rest_framework.request import Request

from .errors import RuleBroken

HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotent-Replayed"
_KEY = re.compile(r"[\x21-\x7e]{8,64}\Z")
_FORM_KEY = re.compile(r"[0-9A-Za-z-]{8,64}\Z")


class IdempotencyKeyRequired(RuleBroken):
    """Calls that move money carry a key, so that asking again never moves it twice."""

    code = "idempotency_key_required"
    http_status = 400


def key_of(request: Request, namespace: str) -> str:
    """Return the request's key, set apart by `namespace` so that two callers cannot meet; raises without one."""
    key = request.headers.get(HEADER, "")
    if not _KEY.match(key):
        raise IdempotencyKeyRequired(f"{HEADER}: 8 to 64 printable ASCII characters without spaces are required.")
    return f"{namespace}:{key}"


def fresh_key() -> str:
    """A key for a form that the server renders; pages with script make their own, one for each act."""
    return str(uuid.uuid4())


def key_in_form(key: str, namespace: str) -> str:
    """Return the key that a form carried, set apart by `namespace`; raises IdempotencyKeyRequired where it is none."""
    if not _FORM_KEY.match(key):
        raise IdempotencyKeyRequired("The form carried no key: load the page again.")
    return f"{namespace}:{key}"
