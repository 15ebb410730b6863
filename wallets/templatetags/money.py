"""Amounts on pages."""

from fractions import Fraction

from django import template

from wallets.amounts import format_cents
from wallets.models import Unit

register = template.Library()


@register.filter
def money(cents: int, unit: str = Unit.EUR) -> str:
    """Write cents with their unit: 1 234.50 €, or 20.00 pts of play units."""
    whole, _, decimals = format_cents(abs(cents)).partition(".")
    grouped = f"{int(whole):,}".replace(",", "\u202f")
    sign = "\u2212" if cents < 0 else ""
    return f"{sign}{grouped}.{decimals}\u00a0{'€' if unit == Unit.EUR else 'pts'}"


@register.filter
def plain_amount(cents: int) -> str:
    """Write cents as a form field takes them: 1234.50."""
    return format_cents(cents)


@register.filter
def short_amount(cents: int) -> str:
    """Write cents as they stand on a chip: 5, 0.50, 2.5k."""
    if cents >= 1_000_00:
        return f"{cents / 1_000_00:.3g}k"
    return str(cents // 100) if cents % 100 == 0 else format_cents(cents)


@register.filter
def per_cent(value: Fraction) -> str:
    """Write an exact percentage with three decimals, rounded half up."""
    thousandths = int(value * 1000 + Fraction(1, 2))
    return f"{thousandths // 1000}.{thousandths % 1000:03d}\u00a0%"


@register.filter
def ratio(value: Fraction) -> str:
    """Write a prize: 35 to 1, 1 to 2."""
    return f"{value.numerator} to {value.denominator}"
