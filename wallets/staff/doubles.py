"""Who may be the same person, for compliance."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from roulette_site.common.sql import database_now
from wallets.selectors.doubles import excluded_among, find_doubles

from .doors import context_of, staff_page

# Whoever decides who somebody is.
RIGHT = "wallets.decide_kyc"


@staff_page(see=RIGHT, act=RIGHT)
def double_list(request: HttpRequest) -> HttpResponse:
    """Show the groups of accounts that share a name and birth date, a document or a payout address."""
    groups = find_doubles()
    excluded = excluded_among(groups, at=database_now())
    context = {**context_of(request, "Doubles"), "groups": groups, "excluded": excluded}
    return render(request, "wallets/staff/doubles.html", context)
