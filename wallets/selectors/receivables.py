"""What players owe the house: how much, since when, and what made them owe it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from wallets.models import Account, AccountKind, Player, Transfer, Unit


@dataclass(frozen=True)
class Debt:
    """What one player owes in one unit. `since` and `cause` are those of the oldest part that is not paid back."""

    account_id: int
    player: Player
    unit: Unit
    owed_cents: int
    since: dt.datetime
    cause: Transfer | None


def owed_by(player: Player) -> Sequence[Debt]:
    """What the player owes, one for each unit in which he owes anything."""
    return [_debt(one) for one in _owing().filter(player=player)]


def debts(*, limit: int, after: int = 0) -> Sequence[Debt]:
    """A page of all who owe, by the number of the account; `after` is the last one of the page before.

    Test accounts owe the house nothing that it could ask for.
    """
    return [_debt(one) for one in _owing().filter(pk__gt=after, player__is_test=False)[:limit]]


def _owing() -> QuerySet[Account]:
    def total(side: str) -> Coalesce:
        of_account = Transfer.objects.filter(**{side: OuterRef("pk")}).order_by().values(side)
        return Coalesce(Subquery(of_account.annotate(cents=Sum("amount_cents")).values("cents")), 0)

    receivables = Account.objects.filter(kind=AccountKind.RECEIVABLE).select_related("player")
    with_sums = receivables.annotate(lent=total("debit"), paid=total("credit"))
    return with_sums.filter(lent__gt=F("paid")).order_by("pk")


def _debt(account: Account) -> Debt:
    """The oldest part is paid back first."""
    player, lent, paid = account.player, account.lent, account.paid  # type: ignore[attr-defined]
    assert player is not None, "the database holds it"
    covered = paid
    for one in Transfer.objects.filter(debit=account).select_related("corrects").order_by("id"):
        covered -= one.amount_cents
        if covered < 0:
            return Debt(account.pk, player, Unit(account.unit), lent - paid, one.created_at, one.corrects)
    raise AssertionError("who owes has been lent more than was paid back")
