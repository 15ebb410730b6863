"""Amounts on pages."""

from fractions import Fraction

from django import template

from roulette_site.common.errors import RuleBroken
from wallets.amounts import format_cents, format_typed_cents, style_of
from wallets.models import Unit
from wallets.web.language import language_of_amounts

register = template.Library()
_MINUS, _HARD = "\u2212", "\u00a0"
_THOUSAND_CENTS = 1000 * 100


@register.filter
def amount(cents: int, sign: str = "") -> str:
    """Write cents without their unit, in the reader's language: 1 234.50, or with `sign` +1 234.50."""
    before = _MINUS if cents < 0 else "+" if sign and cents > 0 else ""
    return before + format_typed_cents(abs(cents), language_of_amounts())


@register.filter
def unit_sign(unit: str) -> str:
    """The unit as it follows an amount, with the space before it."""
    return f"{_HARD}€" if unit == Unit.EUR else f"{_HARD}pts"


@register.filter
def money(cents: int, unit: str = Unit.EUR) -> str:
    """Write cents with their unit: 1 234.50 €, or 20.00 pts of play units."""
    return amount(cents) + unit_sign(unit)


@register.filter
def money_signed(cents: int, unit: str = Unit.EUR) -> str:
    """Write a profit or loss: +35.00 €, −2.00 €."""  # noqa: RUF002
    return amount(cents, "sign") + unit_sign(unit)


@register.filter
def plain_amount(cents: int) -> str:
    """Write cents as a form field takes them: 1234.50."""
    return format_cents(cents)


@register.filter
def short_amount(cents: int) -> str:
    """Write cents as they stand on a chip, in the reader's language: 5, 0.50, 2.5k."""
    if cents >= _THOUSAND_CENTS:
        thousands, tenths = divmod(cents * 10 // _THOUSAND_CENTS, 10)
        return f"{thousands}{style_of(language_of_amounts()).decimal}{tenths}k" if tenths else f"{thousands}k"
    return str(cents // 100) if cents % 100 == 0 else amount(cents)


@register.filter
def per_cent(value: Fraction) -> str:
    """Write an exact percentage with three decimals, rounded half up."""
    thousandths = int(value * 1000 + Fraction(1, 2))
    return f"{thousandths // 1000}.{thousandths % 1000:03d}{_HARD}%"


def message_of(refused: RuleBroken) -> str:
    """What a page says of a refusal: its sentence, the amounts in it as the reader's language writes them."""
    return refused.sentence.written(amount)
