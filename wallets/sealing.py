"""What keeps personal data from who reads the database alone: one key, from the settings.

Numbers of documents and files of identity papers are encrypted under it. What must be found again without being read
has a keyed hash beside it: a plain hash of an e-mail address or of a document's number is guessed by trying them all.
"""

import hashlib
import hmac
from functools import cache

from cryptography.fernet import Fernet
from django.conf import settings

# The key of the hashes is another one than that of the encryption, and neither tells anything of the other.
_SEARCH = b"roulette: search in personal data"


def seal(text: str) -> str:
    """Encrypt a text under PERSONAL_DATA_KEY."""
    return Fernet(settings.PERSONAL_DATA_KEY).encrypt(text.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """Read what `seal` has written; raises cryptography's InvalidToken where it was changed or the key is another."""
    return Fernet(settings.PERSONAL_DATA_KEY).decrypt(sealed).decode()


def seal_bytes(content: bytes) -> bytes:
    """Encrypt a file under PERSONAL_DATA_KEY."""
    return Fernet(settings.PERSONAL_DATA_KEY).encrypt(content)


def unseal_bytes(sealed: bytes) -> bytes:
    """Read what `seal_bytes` has written; raises InvalidToken where it was changed or the key is another."""
    return Fernet(settings.PERSONAL_DATA_KEY).decrypt(sealed)


def keyed_hash(kind: str, key: str) -> str:
    """Return the HMAC-SHA256 by which a text in its compared form is found; "" of nothing, which is never found."""
    if not key:
        return ""
    return hmac.new(_search_key(settings.PERSONAL_DATA_KEY), f"{kind}:{key}".encode(), hashlib.sha256).hexdigest()


@cache
def _search_key(personal_data_key: str) -> bytes:
    return hmac.new(personal_data_key.encode(), _SEARCH, hashlib.sha256).digest()
