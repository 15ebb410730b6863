"""Money that came and could not be credited: given to the player whose it is, or sent back, by two people.

It stands in suspense since a provider told of it (notices.py); here it leaves, once and as a whole. The findings about
it close with that.
"""

import datetime as dt

from django.db.models import Q

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import (
    AccountKind,
    CashKind,
    CashRequest,
    CashState,
    DecidedAct,
    Finding,
    FindingKind,
    InboxKind,
    Player,
    Reason,
    Transfer,
    Unit,
)
from wallets.selectors.suspense import Kept, deposit_named_by, suspended_transfers

from . import permission_to_pay
from .caps import check_independent, check_two_people
from .cash_requests import record_step
from .corrections import correct_transfer, lock_corrections_of
from .decided import check_decided, key_of, tie_to_request
from .findings import close_findings
from .inbox import tell_player
from .ledger import lock_accounts, open_wallet, post_transfer

# A deposit that still waits for its money is fulfilled by the money that is assigned to it.
WAITING = (CashState.STARTED, CashState.UNKNOWN, CashState.EXPIRED)


class NotInSuspense(RuleBroken):
    """This money is not in suspense, or not any more."""

    code = "not_in_suspense"


class NotHisDeposit(RuleBroken):
    """The deposit that is named is none, or another player's."""

    code = "not_his_deposit"


def find_suspended(transfer_id: int) -> Transfer:
    """The money in suspense; raises NotInSuspense."""
    found = suspended_transfers().filter(pk=transfer_id).first()
    if found is None:
        raise NotInSuspense("This money is not in suspense, or not any more.")
    return found


def find_deposit(*, player: Player, deposit_id: int) -> CashRequest:
    """The player's deposit; raises NotHisDeposit."""
    found = CashRequest.objects.filter(pk=deposit_id, kind=CashKind.DEPOSIT, account__player=player).first()
    if found is None:
        raise NotHisDeposit("This is no deposit of this player.")
    return found


def assign_to_player(
    *,
    transfer_id: int,
    player: Player,
    deposit_id: int | None,
    reason: str,
    actor: str,
    second_actor: str,
    at: dt.datetime,
    request_id: int,
) -> Transfer:
    """Credit the player with money from suspense; he is told. The deposit, if it still waits, is confirmed by it.

    He must be one who may pay in: whoever may not gets his money sent back. Raises ReasonMissing, NotDecided,
    OwnBenefit, NotInSuspense, NotHisDeposit, and what permission_to_pay.check_deposit raises.
    """
    reason = clean_reason(reason)
    wallet = open_wallet(player=player, unit=Unit.EUR)
    with audited():
        check_decided(request_id=request_id, act=DecidedAct.RELEASE, actor=actor, second_actor=second_actor)
        check_independent(player=player, actors=(actor, second_actor))
        lock_accounts(wallet.pk)
        suspended = _lock(transfer_id)
        permission_to_pay.check_deposit(player=player, amount_cents=suspended.amount_cents, at=at)
        deposit = None if deposit_id is None else find_deposit(player=player, deposit_id=deposit_id)
        transfer = post_transfer(
            debit=suspended.credit,
            credit=wallet,
            amount_cents=suspended.amount_cents,
            reason=Reason.DEPOSIT,
            actor=actor,
            at=at,
            key=key_of(request_id),
        )
        tie_to_request(transfer=transfer, request_id=request_id, releases=suspended)
        if deposit is not None:
            _fulfil(deposit, suspended, transfer, actor=actor, at=at)
        waiting = deposit_named_by(suspended)
        if waiting is not None and waiting.account.player_id == player.pk:
            _tell(waiting, suspended, Kept.CREDITED, at)
        else:
            data = {"amount_cents": transfer.amount_cents, "unit": transfer.unit}
            tell_player(player=player, kind=InboxKind.DEPOSIT, data=data, at=at)
            if waiting is not None:
                _tell(waiting, suspended, Kept.ANOTHERS, at)
        _close(suspended, transfer, f"Assigned to player {player.pk}.", reason, actor, second_actor, request_id, at)
        return transfer


def send_back(
    *, transfer_id: int, reason: str, actor: str, second_actor: str, at: dt.datetime, request_id: int
) -> Transfer:
    """Note that money from suspense went back to where it came from; the player whose deposit named it is told.

    He is neither of the two. Raises ReasonMissing, NotDecided, OwnBenefit and NotInSuspense.
    """
    reason = clean_reason(reason)
    with audited():
        check_decided(request_id=request_id, act=DecidedAct.RELEASE, actor=actor, second_actor=second_actor)
        check_two_people((actor, second_actor))
        suspended = _lock(transfer_id)
        waiting = deposit_named_by(suspended)
        if waiting is not None:
            assert waiting.account.player is not None, "the database holds it"
            check_independent(player=waiting.account.player, actors=(actor, second_actor))
        transfer = correct_transfer(
            first=suspended,
            amount_cents=suspended.amount_cents,
            actor=actor,
            at=at,
            key=key_of(request_id),
        )
        tie_to_request(transfer=transfer, request_id=request_id, releases=suspended)
        if waiting is not None:
            _tell(waiting, suspended, Kept.SENT_BACK, at)
        _close(suspended, transfer, "Sent back.", reason, actor, second_actor, request_id, at)
        return transfer


def _tell(request: CashRequest, suspended: Transfer, state: Kept, at: dt.datetime) -> None:
    player = request.account.player
    assert player is not None, "the database holds it"
    data = {
        "amount_cents": suspended.amount_cents,
        "unit": suspended.unit,
        "request": request.reference,
        "state": state,
    }
    tell_player(player=player, kind=InboxKind.DEPOSIT, data=data, at=at)


def _lock(transfer_id: int) -> Transfer:
    """Hold the money in suspense, so that of two who release it at once the second finds it gone."""
    suspended = find_suspended(transfer_id)
    assert suspended.credit.kind == AccountKind.SUSPENSE, "the selector asks for it"
    lock_corrections_of(suspended)
    # Read again: what was seen before the lock may be gone.
    return find_suspended(transfer_id)


def _fulfil(deposit: CashRequest, suspended: Transfer, moved: Transfer, *, actor: str, at: dt.datetime) -> None:
    """Confirm the deposit where it waits for just this amount; any other one is only named."""
    deposit = CashRequest.objects.select_for_update(no_key=True).get(pk=deposit.pk)
    if deposit.state not in WAITING or deposit.amount_cents != suspended.amount_cents:
        return
    before, deposit.state, deposit.moved, deposit.decided_at = deposit.state, CashState.CONFIRMED, moved, at
    deposit.save(update_fields=["state", "moved", "decided_at"])
    record_step(deposit, CashState.CONFIRMED, actor=actor, at=at, reason="assigned from suspense", from_state=before)


def _close(
    suspended: Transfer,
    transfer: Transfer,
    what: str,
    reason: str,
    actor: str,
    second_actor: str,
    request_id: int,
    at: dt.datetime,
) -> None:
    about = Q(notice__suspended=suspended) | Q(
        kind=FindingKind.SUSPENSE, fingerprint__startswith=f"{FindingKind.SUSPENSE}:transfer:{suspended.pk}:"
    )
    close_findings(Finding.objects.filter(about), text=f"{what} {reason}", actor=actor, at=at)
    record(
        act="suspense_released",
        actor=actor,
        subject=("transfer", suspended.pk),
        after={
            "transfer": transfer.pk,
            "amount_cents": suspended.amount_cents,
            "player": transfer.credit.player_id,
            "second_actor": second_actor,
            "request": request_id,
        },
        reason=reason,
        at=at,
    )
