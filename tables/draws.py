"""The draw of a virtual wheel: a committed seed, an unbiased number, and the seal that keeps the seed until its time.

Pure but for the operating system's randomness in `fresh_seed`. Algorithm "hmac-sha256-v1": the stream of bytes is
HMAC-SHA256(seed, "<table>:<round number>:<client seed>:<counter>") for counter 0, 1, 2, ...; the number is the first
byte below 222 = 6 x 37, modulo 37. Bytes of 222 and more are passed over, so every number has six bytes of 256 and none
is favoured. Bets are no part of it: nobody can steer the number by betting.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tables.roulette.wheel import WHEEL

ALGORITHM = "hmac-sha256-v1"
SEED_BYTES = 32
_POCKETS = len(WHEEL)
_FAIR_BYTES = 256 - 256 % _POCKETS
_NONCE_BYTES = 12


class DrawKeyMissing(Exception):
    """This process was started without the draw key: only workers have it."""


class SeedDoesNotMatch(Exception):
    """The stored seed does not open under the key, or is not the one that was committed to."""


def fresh_seed() -> bytes:
    """Return 32 bytes from the operating system, for one round alone."""
    return secrets.token_bytes(SEED_BYTES)


def commitment_of(seed: bytes) -> str:
    """The SHA-256 of the seed, shown before bets open: it binds the operator and tells nothing of the number."""
    return hashlib.sha256(seed).hexdigest()


def draw_number(seed: bytes, table: str, round_number: int, client_seed: str = "") -> int:
    """Return the winning number of the round, 0 to 36."""
    return next(numbers_from(_stream(seed, f"{table}:{round_number}:{client_seed}")))


def numbers_from(stream: Iterable[int]) -> Iterator[int]:
    """Turn random bytes into pocket numbers by rejection: 222 to 255 are thrown away."""
    return (byte % _POCKETS for byte in stream if byte < _FAIR_BYTES)


def _stream(seed: bytes, message: str) -> Iterator[int]:
    counter = 0
    while True:
        yield from hmac.digest(seed, f"{message}:{counter}".encode(), "sha256")
        counter += 1


def read_key(key_file: str) -> bytes:
    """Read the 32-byte draw key (hexadecimal text) of a worker; raises DrawKeyMissing."""
    if not key_file:
        raise DrawKeyMissing("DRAW_KEY_FILE is not set: this process cannot open or draw rounds.")
    try:
        key = bytes.fromhex(Path(key_file).read_text().strip())
    except (OSError, ValueError) as error:
        raise DrawKeyMissing(f"DRAW_KEY_FILE cannot be read: {error}") from error
    if len(key) != SEED_BYTES:
        raise DrawKeyMissing("DRAW_KEY_FILE must hold 64 hexadecimal digits.")
    return key


def seal(seed: bytes, key: bytes, bound_to: str) -> bytes:
    """Encrypt the seed (AES-256-GCM); `bound_to` names the round, so that a seal cannot be moved to another."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, seed, bound_to.encode())


def unseal(sealed: bytes, key: bytes, bound_to: str, commitment: str) -> bytes:
    """Return the seed; raises SeedDoesNotMatch where it was tampered with or is another round's."""
    try:
        seed = AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound_to.encode())
    except InvalidTag as error:
        raise SeedDoesNotMatch(f"The seed of round {bound_to} does not open under the draw key.") from error
    if commitment_of(seed) != commitment:
        raise SeedDoesNotMatch(f"The seed of round {bound_to} is not the one committed to.")
    return seed
