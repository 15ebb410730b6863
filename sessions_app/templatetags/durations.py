"""Lengths of time on pages."""

from django import template

register = template.Library()


@register.filter
def duration(seconds: int) -> str:
    """Write seconds as hours and minutes: 1 h 05 min, 25 min; what is begun of a minute is not said.

    >>> duration(3900), duration(1500), duration(7200), duration(59)
    ('1 h 05 min', '25 min', '2 h', '0 min')
    """
    hours, minutes = divmod(int(seconds) // 60, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"


@register.filter
def minutes(seconds: int) -> int:
    """Seconds as the whole minutes that a form field takes."""
    return int(seconds) // 60
