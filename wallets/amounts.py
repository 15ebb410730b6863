"""Amounts of money at the edges: exact text in and out, integer cents inside, never a float. Pure."""

import re

# ASCII digits only: str.isdigit() and \d would take full-width and Arabic digits.
_AMOUNT = re.compile(r"([0-9]{1,15})(?:\.([0-9]{2}))?\Z", re.ASCII)


class InvalidAmount(ValueError):
    """The text is no amount: digits, and if there are cents, a point and two digits."""


def parse_cents(text: object) -> int:
    """Return the cents of an API amount such as "12.50" or "12"; raises InvalidAmount on anything else, numbers too."""
    if not isinstance(text, str) or (match := _AMOUNT.match(text)) is None:
        raise InvalidAmount("An amount is text: digits, and where there are cents a point and two more, such as 12.50.")
    return int(match[1]) * 100 + int(match[2] or 0)


def format_cents(cents: int) -> str:
    """Write cents as the API does: "12.50", "-0.05"."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{cents // 100}.{cents % 100:02d}"
