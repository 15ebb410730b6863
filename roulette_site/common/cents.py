"""Amounts as programs write them. Pure; how people write and type theirs is wallets/amounts.py."""

from functools import lru_cache


# A slip and its answer say few amounts, and say them again and again.
@lru_cache(maxsize=4096)
def format_cents(cents: int) -> str:
    """Write cents as the API does: "12.50", "-0.05"."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{cents // 100}.{cents % 100:02d}"
