"""Tying a transfer to the request by which two people decided it."""

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import FourEyesRequest, RequestState
from wallets.models import DecidedAct, DecidedTransfer, Transfer


class NotDecided(RuleBroken):
    """Money is moved by staff for a request that two people made and approved, once, and for nothing else."""

    code = "not_decided"


def key_of(request_id: int) -> str:
    """The key of the transfer that a request leads to; the database lets it be used once."""
    return f"request:{request_id}"


def check_decided(*, request_id: int, act: DecidedAct, actor: str, second_actor: str) -> None:
    """Raise NotDecided where the request is of another act, was not approved by these two, or moved money before."""
    request = FourEyesRequest.objects.filter(pk=request_id).first()
    said = None if request is None else (request.act, request.state, request.maker, request.decider)
    if said != (act, RequestState.APPROVED, actor, second_actor) or actor == second_actor:
        raise NotDecided("This is asked for by one person and decided by another.")
    if DecidedTransfer.objects.filter(request_id=request_id).exists():
        raise NotDecided("This request has moved money already.")


def tie_to_request(
    *, transfer: Transfer, request_id: int, cause: str = "", releases: Transfer | None = None
) -> DecidedTransfer:
    """Write down which request a transfer was decided by; needs the transfer's own transaction."""
    return DecidedTransfer.objects.create(transfer=transfer, request_id=request_id, cause=cause, releases=releases)
