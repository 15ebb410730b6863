"""What the head of every page shows: of the player who is logged in, or what waits for the staff."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from roulette_site.common.templatetags.four_eyes import waiting_requests
from wallets.models import Account, CashKind, CashRequest, CashState, Player, User
from wallets.selectors.balances import wallets_of
from wallets.selectors.doubles import find_doubles
from wallets.selectors.findings import open_findings
from wallets.selectors.inbox import unread_count
from wallets.selectors.papers import waiting_count

register = template.Library()


@register.simple_tag
def wallets_of_user(user: User | AnonymousUser) -> Sequence[Account]:
    """The wallets of a user who is a player; none of anyone else's."""
    player = getattr(user, "player", None)
    return wallets_of(player) if isinstance(player, Player) else ()


@register.simple_tag
def unread_of_user(user: User | AnonymousUser) -> int | None:
    """How many messages wait for a user who is a player; None for anybody else, who has no inbox."""
    player = getattr(user, "player", None)
    return unread_count(player) if isinstance(player, Player) else None


@register.inclusion_tag("wallets/staff/_desk.html")
def desk(user: Any) -> dict[str, Any]:
    """What waits on the staff's start page: of each thing that the user may look at, how much, and where it is."""
    requests = waiting_requests(user)
    lines: list[tuple[Any, str, Callable[[], int], str]] = [
        (_("Identity papers"), "wallets.decide_kyc", waiting_count, reverse("staff-paper-queue")),
        (_("Possible doubles"), "wallets.decide_kyc", lambda: len(find_doubles()), reverse("staff-doubles")),
        *(
            (words, "wallets.view_cashrequest", partial(_withdrawals, state), f"{reverse('staff-cash')}?state={state}")
            for state, words in _WITHDRAWALS.items()
        ),
        (_("Findings"), "wallets.view_finding", lambda: open_findings().count(), reverse("staff-findings")),
    ]
    said = [(words, count(), address) for words, right, count, address in lines if user.has_perm(right)]
    if requests is not None:
        said.insert(0, (_("Requests for a second person"), requests, reverse("staff:requests")))
    return {"lines": said}


_WITHDRAWALS = {
    CashState.REQUESTED: _("Withdrawals to approve"),
    CashState.HELD: _("Withdrawals held"),
    CashState.UNKNOWN: _("Withdrawals whose outcome nobody knows"),
}


def _withdrawals(state: CashState) -> int:
    return CashRequest.objects.filter(kind=CashKind.WITHDRAWAL, state=state).count()


@register.simple_tag
def waiting_papers() -> int:
    """How many players wait for somebody to look at their papers."""
    return waiting_count()
