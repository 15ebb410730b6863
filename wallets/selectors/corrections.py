"""What of a transfer was undone already."""

from collections.abc import Sequence

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from wallets.models import AccountKind, Player, Reason, Transfer, Unit


def corrected_cents(first: Transfer) -> int:
    """How much of the transfer its corrections have undone."""
    undone = Transfer.objects.filter(corrects=first, reason=Reason.CORRECTION)
    return int(undone.aggregate(cents=Sum("amount_cents", default=0))["cents"])


def left_to_correct(player: Player, *, reasons: Sequence[Reason], limit: int) -> Sequence[Transfer]:
    """The latest transfers of the player's money wallet, of these reasons, of which something is left to undo.

    Each has `left_cents`. Withdrawals that wait for their provider are not among them.
    """
    wallet = {"player": player, "kind": AccountKind.WALLET, "unit": Unit.EUR}
    mine = Q(pk__in=[])
    for side in ("debit", "credit"):
        mine |= Q(**{f"{side}__{name}": value for name, value in wallet.items()})
    undone = Sum("corrections__amount_cents", filter=Q(corrections__reason=Reason.CORRECTION))
    rows: QuerySet[Transfer] = (
        Transfer.objects.filter(mine, reason__in=reasons)
        .exclude(credit__kind=AccountKind.PENDING)
        .annotate(left_cents=F("amount_cents") - Coalesce(undone, 0))
        .filter(left_cents__gt=0)
    )
    return list(rows.select_related("debit", "credit").order_by("-id")[:limit])
