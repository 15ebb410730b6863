"""Correcting a player's balance by hand, where no rule of the game does: for a cause, with evidence, by two people."""

import datetime as dt

from django.db import transaction

from roulette_site.common.audit import record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import AccountKind, DecidedAct, InboxKind, Player, Reason, Standing, Transfer, Unit

from .caps import check_independent
from .decided import check_decided, key_of, tie_to_request
from .gates import lock_player
from .inbox import tell_player
from .ledger import open_wallet, operator_account, post_transfer
from .permission_to_pay import AccountClosed, check_holding

CAUSES = {
    "goodwill": "goodwill",
    "complaint": "a complaint that was upheld",
    "technical": "a technical fault",
    "payment": "a payment that went wrong",
}


class InvalidAdjustment(RuleBroken):
    """An adjustment has a direction, a cause of the list, an amount above zero, and evidence."""

    code = "invalid_adjustment"
    http_status = 400


def check_adjustment(*, direction: str, amount_cents: int, cause: str) -> None:
    """Raise InvalidAdjustment for what is none."""
    if direction not in ("credit", "debit") or cause not in CAUSES:
        raise InvalidAdjustment("Say which way the money goes, and for which cause of the list.")
    if type(amount_cents) is not int or amount_cents <= 0:
        raise InvalidAdjustment("The amount is more than zero.")


def adjust_balance(
    *,
    player: Player,
    direction: str,
    amount_cents: int,
    cause: str,
    reason: str,
    evidence: str,
    actor: str,
    second_actor: str,
    at: dt.datetime,
    request_id: int,
) -> Transfer:
    """Move money between the house and the player's wallet; the player sees it among his transfers.

    It is done for the request that `actor` made and `second_actor` approved, and once. Neither of them is the player,
    nor anybody who may be he. Raises InvalidAdjustment, ReasonMissing, NotDecided, OwnBenefit, AccountClosed,
    BalanceTooLow, TestAccountCapped, IdempotencyConflict.
    """
    check_adjustment(direction=direction, amount_cents=amount_cents, cause=cause)
    reason, evidence = clean_reason(reason), clean_reason(evidence, what="evidence")
    with transaction.atomic():
        check_decided(request_id=request_id, act=DecidedAct.ADJUST, actor=actor, second_actor=second_actor)
        check_independent(player=player, actors=(actor, second_actor))
        player = lock_player(player)
        if player.standing == Standing.CLOSED:
            raise AccountClosed("This account is closed: nothing moves in it any more.")
        wallet = open_wallet(player=player, unit=Unit.EUR)
        house = operator_account(kind=AccountKind.HOUSE, unit=Unit.EUR)
        if direction == "credit":
            check_holding(player=player, cents=(wallet.balance_cents or 0) + amount_cents)
        debit, credit = (house, wallet) if direction == "credit" else (wallet, house)
        transfer = post_transfer(
            debit=debit,
            credit=credit,
            amount_cents=amount_cents,
            reason=Reason.ADJUSTMENT,
            actor=actor,
            at=at,
            key=key_of(request_id),
        )
        tie_to_request(transfer=transfer, request_id=request_id, cause=cause)
        data = {"direction": direction, "amount_cents": amount_cents, "cause": cause}
        tell_player(player=player, kind=InboxKind.ADJUSTMENT, data=data, at=at)
        record(
            act="balance_adjusted",
            actor=actor,
            subject=("player", player.pk),
            after={
                "transfer": transfer.pk,
                "direction": direction,
                "amount_cents": amount_cents,
                "cause": cause,
                "evidence": evidence,
                "second_actor": second_actor,
                "request": request_id,
            },
            reason=reason,
            at=at,
        )
        return transfer
