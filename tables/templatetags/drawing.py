"""Names and shapes of the cloth in templates."""

from django import template

from tables.roulette.wheel import colour_of
from tables.web.names import SHORT_CALL_NAMES, TYPE_NAMES, call_name, colour_name, spot_name

register = template.Library()
register.filter("spot_name", spot_name)
register.filter("call_name", call_name)
register.filter("colour_name", colour_name)


@register.filter
def wager_name(wager: str) -> str:
    """What a kind of wager is called."""
    return str(TYPE_NAMES[wager])  # type: ignore[index]


@register.filter
def short_call_name(name: str) -> str:
    """What a series is called where there is little room."""
    return str(SHORT_CALL_NAMES.get(name, name))


@register.filter
def colour_of_number(number: int) -> str:
    """The colour of a number of the wheel: red, black or none."""
    return str(colour_of(number))
