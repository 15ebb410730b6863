"""Money that came and stands in suspense, since nobody could be credited with it yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet

from wallets.models import (
    AccountKind,
    CashRequest,
    CashState,
    Finding,
    FindingStepKind,
    ProviderNotice,
    Reason,
    Transfer,
)


class Kept(StrEnum):
    """What has become of money that came for a deposit and could not be credited with it."""

    KEPT = "kept"
    CREDITED = "credited"
    SENT_BACK = "sent_back"
    # Given to another player, whose it was.
    ANOTHERS = "anothers"


@dataclass(frozen=True)
class SuspenseLine:
    """One amount in suspense: what the provider told of it, and the findings about it that are open."""

    transfer: Transfer
    notice: ProviderNotice | None
    findings: Sequence[Finding]


def suspended_transfers() -> QuerySet[Transfer]:
    """The transfers into suspense that nobody has released."""
    came = Transfer.objects.filter(credit__kind=AccountKind.SUSPENSE, reason=Reason.DEPOSIT)
    return came.filter(released__isnull=True).select_related("credit")


def suspense_lines(transfers: QuerySet[Transfer], *, limit: int, after: int | None = None) -> Sequence[SuspenseLine]:
    """A page of what is in suspense, the oldest first; `after` is the last one of the page before."""
    if after is not None:
        transfers = transfers.filter(pk__gt=after)
    rows = list(transfers.order_by("id")[:limit])
    notices = {
        one.suspended_id: one for one in ProviderNotice.objects.filter(suspended__in=rows).select_related("request")
    }
    findings = list(
        Finding.objects.filter(notice__in=notices.values())
        .exclude(steps__kind=FindingStepKind.RESOLVED)
        .select_related("notice")
        .order_by("id")
    )
    return [
        SuspenseLine(
            row,
            notices.get(row.pk),
            [one for one in findings if one.notice is not None and one.notice.suspended_id == row.pk],
        )
        for row in rows
    ]


def deposit_named_by(suspended: Transfer) -> CashRequest | None:
    """The deposit that money in suspense came for; None where it named none."""
    notice = ProviderNotice.objects.select_related("request__account__player__user").filter(suspended=suspended).first()
    return None if notice is None else notice.request


def kept_of(requests: Sequence[CashRequest]) -> dict[int, Kept]:
    """Of the deposits that failed those whose money has come all the same, and what has become of it; by number."""
    failed = [one for one in requests if one.state == CashState.FAILED]
    notices = ProviderNotice.objects.filter(request__in=failed, suspended__isnull=False).select_related(
        "suspended__released__transfer__credit", "request__account"
    )
    found = dict[int, Kept]()
    for notice in notices.order_by("id"):
        assert notice.request is not None, "the filter says so"
        assert notice.suspended is not None, "the filter says so"
        released = getattr(notice.suspended, "released", None)
        found[notice.request.pk] = (
            Kept.KEPT if released is None else _end_of(released.transfer, notice.request.account.player_id)
        )
    return found


def _end_of(transfer: Transfer, player_id: int | None) -> Kept:
    if transfer.credit.player_id is None:
        return Kept.SENT_BACK
    return Kept.CREDITED if transfer.credit.player_id == player_id else Kept.ANOTHERS
