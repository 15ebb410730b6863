"""Numbers of drawings: SVG takes a decimal point, whatever the page's language."""

from django import template

register = template.Library()


@register.filter
def unlocal(value: float) -> str:
    """Write a coordinate with at most two decimals and a point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
