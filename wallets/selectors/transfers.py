"""A wallet's transfers: filtered, by pages, and all of them for a file."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from roulette_site.common.sql import one_snapshot
from wallets.models import Account, Reason, Transfer, Unit

ROWS_AT_A_TIME = 500


@dataclass(frozen=True)
class TransferFilter:
    """Which transfers are asked for: of one reason, from an instant on, and before another."""

    reason: Reason | None = None
    since: dt.datetime | None = None
    until: dt.datetime | None = None

    def apply(self, transfers: QuerySet[Transfer]) -> QuerySet[Transfer]:
        """The transfers that are asked for."""
        if self.reason is not None:
            transfers = transfers.filter(reason=self.reason)
        if self.since is not None:
            transfers = transfers.filter(created_at__gte=self.since)
        if self.until is not None:
            transfers = transfers.filter(created_at__lt=self.until)
        return transfers


@dataclass(frozen=True)
class TransferLine:
    """A transfer as its account sees it: what came is positive, what went negative."""

    id: int
    at: dt.datetime
    reason: Reason
    change_cents: int
    unit: Unit
    round_ref: int | None
    corrects: int | None

    @property
    def came_cents(self) -> int | None:
        return self.change_cents if self.change_cents > 0 else None

    @property
    def went_cents(self) -> int | None:
        return -self.change_cents if self.change_cents < 0 else None


def transfer_lines(
    account: Account, *, limit: int, wanted: TransferFilter | None = None, before: int | None = None
) -> Sequence[TransferLine]:
    """A page of the account's transfers, the latest first; `before` is the last one of the page before.

    What came and what went are asked for apart: each is found by its own index, in the order of the page. Both are of
    one instant: else one that comes between the two would be missing from its page for ever.
    """
    with one_snapshot():
        return _lines(account, limit, wanted, before)


def _lines(account: Account, limit: int, wanted: TransferFilter | None, before: int | None) -> Sequence[TransferLine]:
    lines: list[TransferLine] = []
    for side, sign in (("credit", 1), ("debit", -1)):
        transfers = (wanted or TransferFilter()).apply(Transfer.objects.filter(**{side: account}))
        if before is not None:
            transfers = transfers.filter(pk__lt=before)
        lines += [
            TransferLine(
                one.pk,
                one.created_at,
                Reason(one.reason),
                sign * one.amount_cents,
                Unit(one.unit),
                one.round_ref,
                one.corrects_id,
            )
            for one in transfers.order_by("-id")[:limit]
        ]
    return sorted(lines, key=lambda line: -line.id)[:limit]


def all_transfer_lines(account: Account, *, wanted: TransferFilter | None = None) -> Iterator[TransferLine]:
    """All of the account's transfers that are asked for, the latest first, a few at a time."""
    before = None
    while lines := transfer_lines(account, limit=ROWS_AT_A_TIME, wanted=wanted, before=before):
        yield from lines
        before = lines[-1].id
