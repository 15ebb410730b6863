"""Free texts that stay for ever: the one place that says what may stand in one.

Reasons, evidence and resolutions are written into rows that nobody edits or deletes, and that outlive what is known
about a person. A program does not know a name when it reads one, and the forms say that none belongs there; what has
the shape of an address or of a number of somebody's is refused.
"""

import re
import unicodedata

from .errors import RuleBroken

MOST_REASON = 500

ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
# What has many digits and is nobody's: a day, an instant, an amount, and the number of a thing of ours by its name.
_HARMLESS = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\b(?:EUR|DEMO) ?[\d.,\u00a0\u202f]+|(?:\b[\d.,\u00a0\u202f]+ ?(?:EUR|DEMO)\b|[\d.,\u00a0\u202f]+ ?€)"
    r"|\b(?:account|case|complaint|entry|finding|notice|player|request|round|session|slip|ticket|transfer|withdrawal"
    r"|deposit|user)s? (?:no\.? ?)?\d+(?:(?:, | and )\d+)*\b|#\d+\b|\b[DW]\d+\b",
    re.IGNORECASE,
)
# A number of a document, of an account at a bank, of a telephone: letters and five digits or more, or eight digits,
# with single signs between them.
_NUMBER = re.compile(r"(?<![A-Z0-9])(?:[A-Z]{1,3}[ .-]?(?:\d[ ./-]?){5,}|\d(?:[ ./-]?\d){7,})", re.IGNORECASE)
# The code of a reason, as banks write them.
_CODE = re.compile(r"[A-Z]{2}[0-9]{2}(?![A-Z0-9]| ?[0-9])")
# Letters before digits are a document's where they are one word with them, or written large.
_WORD = re.compile(r"[a-z]{2,3}[ .-]")


class ReasonNotUsable(RuleBroken):
    """A reason is a sentence that says why, and names nobody by an address or a number."""

    code = "reason_not_usable"
    http_status = 422


class ReasonMissing(ReasonNotUsable):
    """What is done to somebody, and by whom it is decided, has a reason."""

    code = "reason_missing"


def clean_reason(text: str, *, what: str = "reason", most: int = MOST_REASON) -> str:
    """Return the text without the white space around it; raises ReasonMissing or ReasonNotUsable."""
    cleaned = text.strip()
    if not cleaned:
        raise ReasonMissing(f"Give the {what}.")
    if len(cleaned) > most:
        raise ReasonNotUsable(f"The {what} has {len(cleaned)} characters; at most {most} are kept.")
    # Not printable are also the signs that turn the direction of what follows: a text must read as it is stored.
    if any(not (one.isprintable() or one in "\n\r") or "\ud800" <= one <= "\udfff" for one in cleaned):
        raise ReasonNotUsable(f"The {what} holds characters that cannot be read.")
    # Full-width digits and signs are read like the plain ones.
    plain = unicodedata.normalize("NFKC", cleaned)
    if ADDRESS.search(plain):
        raise ReasonNotUsable(f"The {what} is kept for ever: write no e-mail address into it.")
    if _holds_number(plain):
        raise ReasonNotUsable(
            f"The {what} is kept for ever: write no number of a document, a bank account or a telephone into it."
        )
    return cleaned


def kept_of(text: str, *, most: int = MOST_REASON) -> str:
    """What may be kept of a text that somebody outside wrote: all of it, or its code alone; empty where nothing may.

    >>> kept_of("AC04 account closed"), kept_of("AC04: of Joao, PT50 0002 0123 4567"), kept_of("joao@home.example")
    ('AC04 account closed', 'AC04', '')
    """
    try:
        return clean_reason(text[:most], most=most)
    except ReasonNotUsable:
        code = _CODE.match(text.strip())
        return code[0] if code else ""


def _holds_number(text: str) -> bool:
    """Whether there is a number that may be somebody's.

    >>> theirs = ("passport LX 998877", "12345678 9 ZZ1", "PT50 0002 0123 4567", "ask 912 345 678")
    >>> [_holds_number(one) for one in theirs]
    [True, True, True, True]
    >>> nobodys = ("transfer 123456789 of 2026-06-15", "on 50000 EUR", "in 2026", "took 12345 cents")
    >>> [_holds_number(one) for one in nobodys]
    [False, False, False, False]
    """
    left = _HARMLESS.sub(" ", text)
    return any(not _WORD.match(found[0]) or sum(map(str.isdigit, found[0])) >= 8 for found in _NUMBER.finditer(left))
