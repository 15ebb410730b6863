"""Correcting a player's balance by hand, where no rule of the game does: for a cause, with evidence, by two people."""

import datetime as dt

from django.db import transaction

from roulette_site.common.audit import record
from roulette_site.common.errors import RuleBroken
from wallets.models import AccountKind, InboxKind, Player, Reason, Transfer, Unit

from .gates import lock_player
from .inbox import tell_player
from .ledger import open_wallet, operator_account, post_transfer
from .standing import checked_reason

CAUSES = {
    "goodwill": "goodwill",
    "complaint": "a complaint that was upheld",
    "technical": "a technical fault",
    "payment": "a payment that went wrong",
}
# What somebody of a role may ask for or decide; of several roles the highest holds, and nobody else may at all.
CAPS_CENTS = {"Finance": 500_00}


class InvalidAdjustment(RuleBroken):
    """An adjustment has a direction, a cause of the list, an amount above zero, and evidence."""

    code = "invalid_adjustment"
    http_status = 400


class AboveCap(RuleBroken):
    """The amount is more than the role may adjust."""

    code = "above_cap"


def check_adjustment(*, direction: str, amount_cents: int, cause: str) -> None:
    """Raise InvalidAdjustment for what is none."""
    if direction not in ("credit", "debit") or cause not in CAUSES:
        raise InvalidAdjustment("Say which way the money goes, and for which cause of the list.")
    if type(amount_cents) is not int or amount_cents <= 0:
        raise InvalidAdjustment("The amount is more than zero.")


def check_cap(*, amount_cents: int, roles: set[str]) -> None:
    """Raise AboveCap where none of the roles may adjust so much."""
    cap = max((CAPS_CENTS.get(role, 0) for role in roles), default=0)
    if amount_cents > cap:
        raise AboveCap("This is more than you may adjust or decide.", cap_cents=cap)


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
    key: str,
) -> Transfer:
    """Move money between the house and the player's wallet; the player sees it among his transfers.

    Raises InvalidAdjustment, ReasonMissing, BalanceTooLow, IdempotencyConflict.
    """
    check_adjustment(direction=direction, amount_cents=amount_cents, cause=cause)
    reason, evidence = checked_reason(reason), checked_reason(evidence)
    if not second_actor or second_actor == actor:
        raise InvalidAdjustment("An adjustment is made by one person and decided by another.")
    with transaction.atomic():
        player = lock_player(player)
        wallet = open_wallet(player=player, unit=Unit.EUR)
        house = operator_account(kind=AccountKind.HOUSE, unit=Unit.EUR)
        debit, credit = (house, wallet) if direction == "credit" else (wallet, house)
        transfer = post_transfer(
            debit=debit, credit=credit, amount_cents=amount_cents, reason=Reason.ADJUSTMENT, actor=actor, at=at, key=key
        )
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
            },
            reason=reason,
            at=at,
        )
        return transfer
