"""How many four-eyes requests wait for whoever looks at a staff page."""

from typing import Any

from django import template

from roulette_site.common.four_eyes import acts_to_make, names_to_decide, requests_to_decide
from roulette_site.common.sql import database_now

register = template.Library()


@register.simple_tag
def waiting_requests(user: Any) -> int | None:
    """The number of requests that the user is to decide; None for who has nothing to do with them."""
    if not (user.is_active and user.is_staff):
        return None
    if names_to_decide(user):
        return requests_to_decide(user, at=database_now()).count()
    return 0 if acts_to_make(user) or user.has_perm("common.view_foureyesrequest") else None
