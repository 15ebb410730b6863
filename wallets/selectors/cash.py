"""Cash requests as pages list them."""

from collections.abc import Sequence

from django.db.models import QuerySet

from wallets.models import Account, AccountKind, CashRequest, Player, Unit


def money_wallet(player: Player) -> Account | None:
    """The player's wallet of money; None before his first deposit."""
    return Account.objects.filter(player=player, kind=AccountKind.WALLET, unit=Unit.EUR).first()


def requests_of(player: Player) -> QuerySet[CashRequest]:
    """The player's own cash requests."""
    return CashRequest.objects.filter(account__player=player)


def page_of(requests: QuerySet[CashRequest], *, limit: int, before: int | None = None) -> Sequence[CashRequest]:
    """A page of requests, the latest first; `before` is the last one of the page before."""
    if before is not None:
        requests = requests.filter(pk__lt=before)
    return list(requests.select_related("account__player").order_by("-id")[:limit])
