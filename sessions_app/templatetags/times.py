"""Times on pages."""

import datetime as dt

from django import template

register = template.Library()


@register.filter
def duration(value: dt.timedelta) -> str:
    """Write how long something lasted: 0:42:10."""
    minutes, seconds = divmod(int(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
