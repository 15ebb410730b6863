"""Undoing a transfer of a player's wallet by hand: for a reason, by two people, and the player is told.

Only what the cash desk and staff themselves have moved. What the game has paid is corrected by the game, which counts
anew what each bet of the round returned.
"""

import datetime as dt

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import (
    AccountKind,
    DecidedAct,
    InboxKind,
    Player,
    Reason,
    Standing,
    Transfer,
    Unit,
)
from wallets.selectors.corrections import corrected_cents

from .caps import check_independent
from .corrections import CorrectionTooLarge, WithdrawalIsHeld, correct_transfer, is_held
from .decided import check_decided, key_of, tie_to_request
from .gates import lock_player
from .inbox import tell_player
from .permission_to_pay import AccountClosed

CORRECTABLE = (Reason.DEPOSIT, Reason.WITHDRAWAL, Reason.ADJUSTMENT)


class NotCorrectable(RuleBroken):
    """This is no transfer of the player's money wallet that is corrected by hand."""

    code = "not_correctable"


def find_correctable(*, player: Player, transfer_id: int) -> Transfer:
    """The player's transfer that may be corrected by hand; raises NotCorrectable."""
    found = Transfer.objects.select_related("debit", "credit").filter(pk=transfer_id, unit=Unit.EUR).first()
    sides = () if found is None else (found.debit, found.credit)
    is_his = any(one.kind == AccountKind.WALLET and one.player_id == player.pk for one in sides)
    if found is None or not is_his or found.reason not in CORRECTABLE:
        raise NotCorrectable("This is no deposit, withdrawal or adjustment of this player's wallet.")
    return found


def check_correction(*, player: Player, transfer_id: int, amount_cents: int) -> Transfer:
    """The transfer, where so much of it may be undone; raises NotCorrectable, CorrectionTooLarge, WithdrawalIsHeld."""
    found = find_correctable(player=player, transfer_id=transfer_id)
    left = found.amount_cents - corrected_cents(found)
    if type(amount_cents) is not int or not 0 < amount_cents <= left:
        raise CorrectionTooLarge("Of this transfer there is less left to undo.", left_cents=left)
    if is_held(found):
        raise WithdrawalIsHeld("This withdrawal was not refused by its provider.")
    return found


def correct_by_staff(
    *,
    player: Player,
    transfer_id: int,
    amount_cents: int,
    reason: str,
    evidence: str,
    actor: str,
    second_actor: str,
    at: dt.datetime,
    request_id: int,
) -> Transfer:
    """Undo `amount_cents` of a transfer of the player's wallet by a new one that names it; the player is told.

    What the wallet does not hold any more he owes from then on. Raises ReasonMissing, NotDecided, OwnBenefit,
    AccountClosed, NotCorrectable, CorrectionTooLarge and WithdrawalIsHeld.
    """
    reason, evidence = clean_reason(reason), clean_reason(evidence, what="evidence")
    with audited():
        check_decided(request_id=request_id, act=DecidedAct.CORRECT, actor=actor, second_actor=second_actor)
        check_independent(player=player, actors=(actor, second_actor))
        player = lock_player(player)
        if player.standing == Standing.CLOSED:
            raise AccountClosed("This account is closed: nothing moves in it any more.")
        first = check_correction(player=player, transfer_id=transfer_id, amount_cents=amount_cents)
        transfer = correct_transfer(first=first, amount_cents=amount_cents, actor=actor, at=at, key=key_of(request_id))
        tie_to_request(transfer=transfer, request_id=request_id)
        data = {
            "direction": "credit" if transfer.credit.player_id is not None else "debit",
            "amount_cents": amount_cents,
            "unit": transfer.unit,
            "of": first.reason,
            "moved_at": first.created_at.isoformat(),
        }
        tell_player(player=player, kind=InboxKind.CORRECTION, data=data, at=at)
        record(
            act="transfer_corrected",
            actor=actor,
            subject=("player", player.pk),
            after={
                "transfer": transfer.pk,
                "corrects": first.pk,
                "amount_cents": amount_cents,
                "evidence": evidence,
                "second_actor": second_actor,
                "request": request_id,
            },
            reason=reason,
            at=at,
        )
        return transfer
