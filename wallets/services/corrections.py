"""Undoing transfers by new ones that name them, and what a player then owes."""

import datetime as dt

from django.db import connection, transaction

from roulette_site.common.errors import RuleBroken
from wallets.guards import CORRECTION_LOCK_SQL
from wallets.models import (
    PLAYER_KINDS,
    Account,
    AccountKind,
    CashRequest,
    CashState,
    InboxKind,
    Player,
    Reason,
    Transfer,
    Unit,
)
from wallets.selectors.corrections import corrected_cents
from wallets.selectors.operator_balances import owed_cents

from .inbox import tell_player
from .ledger import IdempotencyConflict, lock_accounts, open_wallet, post_transfer


class CorrectionTooLarge(RuleBroken):
    """Of a transfer no more is undone than was moved, however many corrections there are."""

    code = "correction_too_large"


class WithdrawalIsHeld(RuleBroken):
    """A withdrawal goes back when its provider has refused it, and is undone by nobody before."""

    code = "withdrawal_held"


class MoreThanOwed(RuleBroken):
    """Nobody pays back more than he owes."""

    code = "more_than_owed"


def correct_transfer(
    *, first: Transfer, amount_cents: int, actor: str, at: dt.datetime, key: str | None = None
) -> Transfer:
    """Undo `amount_cents` of a transfer by a new one that names it; the same key again moves nothing.

    What the player's wallet does not hold any more he owes from then on: a receivable lends him the difference, and no
    later money of his pays it back without his own act. Raises CorrectionTooLarge, WithdrawalIsHeld, BalanceTooLow (an
    account of chips has no receivable) and IdempotencyConflict.
    """
    debit, credit = first.credit, first.debit
    with transaction.atomic():
        locked = lock_accounts(*(one.pk for one in (debit, credit) if one.kind in PLAYER_KINDS))
        lock_corrections_of(first)
        if key is not None and (before := Transfer.objects.filter(idempotency_key=key).first()) is not None:
            if (before.corrects_id, before.reason, before.amount_cents) != (first.pk, Reason.CORRECTION, amount_cents):
                raise IdempotencyConflict("This key was used for another movement.")
            return before
        _check(first, amount_cents)
        account = locked.get(debit.pk)
        missing = amount_cents - (account.balance_cents or 0) if account is not None else 0
        if account is not None and account.kind == AccountKind.WALLET and missing > 0:
            assert account.player is not None, "the database holds it"
            owed = {"owed_cents": missing, "unit": account.unit}
            tell_player(player=account.player, kind=InboxKind.RECEIVABLE, data=owed, at=at)
            post_transfer(
                debit=open_receivable(player=account.player, unit=Unit(account.unit)),
                credit=account,
                amount_cents=missing,
                reason=Reason.RECEIVABLE,
                actor=actor,
                at=at,
                round_ref=first.round_ref,
                seat_ref=first.seat_ref,
                corrects=first,
            )
        return post_transfer(
            debit=debit,
            credit=credit,
            amount_cents=amount_cents,
            reason=Reason.CORRECTION,
            actor=actor,
            at=at,
            key=key,
            round_ref=first.round_ref,
            seat_ref=first.seat_ref,
            corrects=first,
        )


def open_receivable(*, player: Player, unit: Unit) -> Account:
    """Return the account of what the player owes in `unit`, made where there is none yet."""
    account, _ = Account.objects.get_or_create(kind=AccountKind.RECEIVABLE, unit=unit, player=player)
    return account


def pay_back(
    *, player: Player, unit: Unit, amount_cents: int, actor: str, at: dt.datetime, key: str | None = None
) -> Transfer:
    """Pay what the player owes, or a part of it, from his wallet: his own act, never anybody else's.

    Raises MoreThanOwed, BalanceTooLow, and IdempotencyConflict.
    """
    wallet, receivable = open_wallet(player=player, unit=unit), open_receivable(player=player, unit=unit)
    with transaction.atomic():
        # Whoever makes the player owe more or less holds his wallet.
        lock_accounts(wallet.pk)
        replayed = key is not None and Transfer.objects.filter(idempotency_key=key).exists()
        owed = owed_cents(receivable.pk)
        if not replayed and not 0 < amount_cents <= owed:
            raise MoreThanOwed("The amount is more than what is owed, or nothing.", owed_cents=owed)
        return post_transfer(
            debit=wallet,
            credit=receivable,
            amount_cents=amount_cents,
            reason=Reason.RECEIVABLE,
            actor=actor,
            at=at,
            key=key,
        )


def _check(first: Transfer, amount_cents: int) -> None:
    left = first.amount_cents - corrected_cents(first)
    if not 0 < amount_cents <= left:
        raise CorrectionTooLarge("Of this transfer there is less left to undo.", left_cents=left)
    if is_held(first):
        raise WithdrawalIsHeld("This withdrawal was not refused by its provider.")


def is_held(first: Transfer) -> bool:
    """Whether the transfer holds a withdrawal that its provider has not refused."""
    return CashRequest.objects.filter(held=first).exclude(state=CashState.REFUSED).exists()


def lock_corrections_of(first: Transfer) -> None:
    """Let corrections of one transfer come one after the other; the guard takes the same lock.

    On SQLite the transaction excludes everyone already.
    """
    if connection.vendor == "postgresql":
        # A statement of its own: what is read afterwards has a snapshot later than the lock.
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_xact_lock({CORRECTION_LOCK_SQL.format(id='%s::bigint')})", [first.pk])
