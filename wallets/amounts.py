"""Amounts of money at the edges: exact text in and out, integer cents inside, never a float. Pure."""

import re
from dataclasses import dataclass

from roulette_site.common.cents import format_cents as format_cents

# ASCII digits only: str.isdigit() and \d would take full-width and Arabic digits.
_AMOUNT = re.compile(r"([0-9]{1,15})(?:\.([0-9]{2}))?\Z", re.ASCII)
THIN_SPACE = "\u202f"
# A space as it is typed, and as it is shown and copied.
_SPACES = " \u00a0\u202f"
_MOST_DIGITS = 15


class InvalidAmount(ValueError):
    """The text is no amount: digits, and if there are cents, a point and two digits."""


@dataclass(frozen=True)
class AmountStyle:
    """How people of a language write amounts: what stands before the cents, and what between thousands."""

    decimal: str
    groups: str
    shown_group: str
    example: str

    @property
    def pattern(self) -> re.Pattern[str]:
        # The same sign between all groups of three, or none; one or two digits of cents.
        groups = rf"[1-9][0-9]{{0,2}}(?:(?P<by>[{re.escape(self.groups)}])[0-9]{{3}})(?:(?P=by)[0-9]{{3}})*"
        return re.compile(rf"(?P<whole>{groups}|[0-9]+)(?:{re.escape(self.decimal)}(?P<cents>[0-9]{{1,2}}))?\Z")


# French forms group by a space only (docs/readings.md): there a point is neither cents nor thousands.
STYLES = {
    "en": AmountStyle(decimal=".", groups=f",{_SPACES}", shown_group=THIN_SPACE, example="12.50"),
    "fr": AmountStyle(decimal=",", groups=_SPACES, shown_group=THIN_SPACE, example="12,50"),
    "pt": AmountStyle(decimal=",", groups=f".{_SPACES}", shown_group=".", example="12,50"),
}


# Thousands to one reader, and to another a comma or point that stands before cents with a digit too many.
_TWO_READINGS = re.compile(r"[0-9]{1,3}[.,][0-9]{3}\Z", re.ASCII)

# Ten thousand million: more is a slip of the hand, and sums of it would outgrow what a database counts in.
MOST_CENTS = 10**12


def style_of(language: str) -> AmountStyle:
    """The style of a language such as "pt" or "pt-PT"; of English where it is not one of ours."""
    return STYLES.get(language.partition("-")[0].lower(), STYLES["en"])


def parse_cents(text: object) -> int:
    """Return the cents of an API amount such as "12.50" or "12"; raises InvalidAmount on anything else, numbers too."""
    if not isinstance(text, str) or (match := _AMOUNT.match(text)) is None:
        raise InvalidAmount("An amount is text: digits, and where there are cents a point and two more, such as 12.50.")
    return int(match[1]) * 100 + int(match[2] or 0)


def has_two_readings(text: str) -> bool:
    """Whether a typed amount may have been meant a thousand times smaller than its language has it.

    >>> has_two_readings("1.005"), has_two_readings("1.005,00"), has_two_readings("1005")
    (True, False, False)
    """
    return _TWO_READINGS.match(text.strip(_SPACES).removesuffix("€").rstrip(_SPACES)) is not None


def parse_typed_cents(text: str, language: str) -> int:
    """Return the cents of an amount as it is typed in a form of that language; raises InvalidAmount.

    What a page shows can be typed back, with the sign of the euro and with the spaces around it.

    >>> parse_typed_cents("1.234,56 €", "pt"), parse_typed_cents("1 234,56", "fr"), parse_typed_cents("12.50", "en")
    (123456, 123456, 1250)
    """
    style = style_of(language)
    bare = text.strip(_SPACES).removesuffix("€").rstrip(_SPACES)
    match = style.pattern.match(bare)
    whole = re.sub(r"[^0-9]", "", match["whole"]) if match is not None else ""
    if match is None or len(whole) > _MOST_DIGITS:
        raise InvalidAmount(f"Write the amount in digits, and cents like this: {style.example}.")
    return int(whole) * 100 + int((match["cents"] or "").ljust(2, "0"))


def format_typed_cents(cents: int, language: str) -> str:
    """Write cents that are not negative as people of that language do: 1.234,56 in Portuguese."""
    style = style_of(language)
    whole = f"{cents // 100:,}".replace(",", style.shown_group)
    return f"{whole}{style.decimal}{cents % 100:02d}"
