"""The proof of money that two people decide beside their requests."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count

from roulette_site.common.verification import Check
from wallets.models import AccountKind, DecidedAct, DecidedTransfer, Reason, Transfer


def _decided() -> Iterator[str]:
    """Each transfer that two people decide beside their request: what it says, and that it led to nothing else."""
    alone = Transfer.objects.filter(reason=Reason.ADJUSTMENT, decided__isnull=True)
    for transfer_id in alone.order_by("id").values_list("pk", flat=True).iterator():
        yield f"transfer {transfer_id}: an adjustment that no request was decided for"
    left = Transfer.objects.filter(debit__kind=AccountKind.SUSPENSE, decided__isnull=True)
    for transfer_id in left.order_by("id").values_list("pk", flat=True).iterator():
        yield f"transfer {transfer_id}: money left suspense, and no request was decided for it"
    rows = DecidedTransfer.objects.order_by("pk").select_related(
        "request", "releases", "transfer__debit", "transfer__credit"
    )
    for row in rows.iterator():
        if fault := _fault_of(row):
            yield f"transfer {row.pk}: request {row.request_id} {fault}"
    twice = DecidedTransfer.objects.values("request").annotate(count=Count("pk")).filter(count__gt=1)
    for request_id in twice.order_by("request").values_list("request", flat=True).iterator():
        yield f"request {request_id}: money was moved for it more than once"


def _fault_of(row: DecidedTransfer) -> str:
    """What of the request is not as its transfer is; nothing where all is."""
    request, transfer, said = row.request, row.transfer, row.request.arguments
    if request.state != "approved" or request.decider in (None, request.maker):
        return "was not decided by a second person"
    if transfer.actor != request.maker:
        return "was made by somebody else"
    match request.act:
        case DecidedAct.ADJUST:
            is_same = transfer.reason == Reason.ADJUSTMENT and _is_adjustment(row, said)
        case DecidedAct.CORRECT:
            is_same = transfer.reason == Reason.CORRECTION and _is_correction(transfer, said)
        case DecidedAct.RELEASE:
            is_same = _is_release(row, said)
        case _:
            return "is of another act"
    return "" if is_same else "says something else: another amount, player, way or cause"


def _is_adjustment(row: DecidedTransfer, said: Mapping[str, Any]) -> bool:
    transfer = row.transfer
    given = transfer.credit.player_id is not None
    wallet = transfer.credit if given else transfer.debit
    direction = "credit" if given else "debit"
    return (transfer.amount_cents, wallet.player_id, direction, row.cause) == (
        said.get("amount_cents"), said.get("player"), said.get("direction"), said.get("cause"),
    )  # fmt: skip


def _is_correction(transfer: Transfer, said: Mapping[str, Any]) -> bool:
    wallet = transfer.credit if transfer.credit.player_id is not None else transfer.debit
    return (transfer.amount_cents, transfer.corrects_id, wallet.player_id) == (
        said.get("amount_cents"), said.get("transfer"), said.get("player"),
    )  # fmt: skip


def _is_release(row: DecidedTransfer, said: Mapping[str, Any]) -> bool:
    transfer, suspended = row.transfer, row.releases
    if suspended is None:
        return False
    player = said.get("player")
    is_way = transfer.corrects_id == suspended.pk if player is None else transfer.reason == Reason.DEPOSIT
    return is_way and (suspended.pk, player, suspended.amount_cents, suspended.credit_id) == (
        said.get("transfer"), transfer.credit.player_id, transfer.amount_cents, transfer.debit_id,
    )  # fmt: skip


CHECKS = (
    Check(
        "decided",
        "every adjustment, correction by staff and release from suspense is what one request of two people says",
        _decided,
    ),
)
