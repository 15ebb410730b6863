"""The number of a bank account (IBAN, ISO 13616): whether it can be one, and how much of it is shown. Pure."""

import re

from roulette_site.common.errors import RuleBroken

# How long the numbers of each country are, by the IBAN registry.
_LENGTHS = {
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
LENGTH_OF = {country: length for length, countries in _LENGTHS.items() for country in countries.split()}
LONGEST_TYPED = 60
_SHAPE = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}\Z")


class IbanRefused(RuleBroken):
    """This is not the number of a bank account."""

    code = "iban_refused"
    http_status = 422


def check_iban(text: str) -> str:
    """Return the number without spaces, in capitals; raises IbanRefused and says what is wrong with it.

    >>> check_iban(" pt50 0002 0123 1234 5678 9015 4 ")
    'PT50000201231234567890154'
    """
    number = "".join(text[: LONGEST_TYPED + 1].split()).upper()
    if len(text) > LONGEST_TYPED or not (number.isascii() and _SHAPE.match(number)):
        raise IbanRefused("An IBAN is two letters for the country, two digits, and then letters and digits.")
    length = LENGTH_OF.get(number[:2])
    if length is None:
        raise IbanRefused("No country has IBANs that begin like this.", country=number[:2])
    if len(number) != length:
        raise IbanRefused(
            f"An IBAN of {number[:2]} has {length} characters; this one has {len(number)}.", length=length
        )
    if not _is_whole(number):
        raise IbanRefused("The digits do not fit each other. Is one of them another?")
    return number


def mask_iban(number: str) -> str:
    """Return what may be shown of a number: enough for its owner to know it by.

    >>> mask_iban("PT50000201231234567890154")
    'PT50 **** 0154'
    """
    return f"{number[:4]} **** {number[-4:]}"


def _is_whole(number: str) -> bool:
    """Whether the check digits are right (ISO 7064, MOD 97-10): letters count from A = 10, the head comes last.

    Check digits 00, 01 and 99 give the right remainder too, but no bank computes them: they lie in 02 to 98.
    """
    turned = number[4:] + number[:4]
    return 2 <= int(number[2:4]) <= 98 and int("".join(str(int(one, 36)) for one in turned)) % 97 == 1
