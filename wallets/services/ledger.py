"""Moving money between accounts, outside the hot paths of placing bets and settling rounds (both in tables)."""

import datetime as dt
from contextlib import AbstractContextManager

from django.db import IntegrityError, connection, models, transaction

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.guards.watches import GAME_REASONS
from roulette_site.common.sql import breaks_unique_key
from wallets.models import PLAYER_KINDS, SINGLE_KINDS, Account, AccountKind, Player, Reason, Transfer, Unit
from wallets.selectors.gates import gates_of

from .player_days import count_in_day, day_of_account

# What makes two calls with one key the same movement.
_MOVEMENT = ("debit_id", "credit_id", "amount_cents", "reason", "corrects_id")


class BalanceTooLow(RuleBroken):
    """The account does not hold the amount."""

    code = "balance_too_low"


class IdempotencyConflict(RuleBroken):
    """The key was used before, for something else."""

    code = "idempotency_conflict"
    http_status = 422


def open_wallet(*, player: Player, unit: Unit) -> Account:
    """Return the player's wallet in `unit`, made at zero where there is none yet, and barred as the player is."""
    wallet = Account.objects.filter(kind=AccountKind.WALLET, unit=unit, player=player).first()
    if wallet is not None:
        return wallet
    with transaction.atomic():
        # Under the lock of his other accounts: what bars him at this moment then waits for the new one, or is seen.
        lock_accounts(*Account.objects.filter(player=player).values_list("pk", flat=True))
        player = Player.objects.get(pk=player.pk)
        wallet, _ = Account.objects.get_or_create(
            kind=AccountKind.WALLET,
            unit=unit,
            player=player,
            defaults={"balance_cents": 0, **gates_of(player, unit)},
        )
        return wallet


def operator_account(*, kind: AccountKind, unit: Unit) -> Account:
    """Return the operator's one account of that kind (house, bank, suspense or withdrawals pending) and unit.

    It is made where there is none yet.
    """
    assert kind in SINGLE_KINDS, "of the other kinds the operator has several"
    account, _ = Account.objects.get_or_create(kind=kind, unit=unit, player=None)
    return account


def lock_accounts(*account_ids: int) -> dict[int, Account]:
    """Lock accounts in id order, the one order that every service keeps; needs a transaction.

    FOR NO KEY UPDATE, since inserting a transfer takes KEY SHARE on the accounts it names.
    """
    assert connection.in_atomic_block, "locks are held until the end of a transaction"
    rows = Account.objects.select_for_update(no_key=True).filter(id__in=account_ids).order_by("id")
    return {account.id: account for account in rows}


def post_transfer(
    *,
    debit: Account,
    credit: Account,
    amount_cents: int,
    reason: Reason,
    actor: str,
    at: dt.datetime,
    key: str | None = None,
    round_ref: int | None = None,
    seat_ref: int | None = None,
    corrects: Transfer | None = None,
) -> Transfer:
    """Move `amount_cents` from debit to credit and return the transfer; the same key again returns the first one.

    A deposit counts in the day of its player's calendar. Whatever the game does not move by itself is put on record.

    Raises BalanceTooLow, and IdempotencyConflict where the key moved something else before.
    """
    wanted = Transfer(
        debit=debit,
        credit=credit,
        amount_cents=amount_cents,
        unit=debit.unit,
        reason=reason,
        actor=actor,
        created_at=at,
        idempotency_key=key,
        round_ref=round_ref,
        seat_ref=seat_ref,
        corrects=corrects,
        player_day=day_of_account(credit, at) if reason == Reason.DEPOSIT else None,
    )
    try:
        with _as_an_act(reason):
            # The operator's accounts carry no balance: a lock on one of them would only queue all players.
            locked = lock_accounts(*(one.pk for one in (debit, credit) if one.kind in PLAYER_KINDS))
            if (first := _first_with_key(wanted)) is not None:
                return first
            if debit.pk in locked:
                balance = locked[debit.pk].balance_cents
                assert balance is not None, "the database holds it"
                if balance < amount_cents:
                    raise BalanceTooLow("The balance does not cover the amount.", balance_cents=balance)
            for account, change in ((debit, -amount_cents), (credit, amount_cents)):
                if account.pk in locked:
                    Account.objects.filter(pk=account.pk).update(balance_cents=models.F("balance_cents") + change)
            wanted.save(force_insert=True)
            count_in_day(wanted)
            if reason not in GAME_REASONS:
                _put_on_record(wanted)
            return wanted
    except IntegrityError as error:
        if not breaks_unique_key(error):
            raise
        # Who moves money of the same player has waited above; others may have spent the key at the same moment.
        if (first := _first_with_key(wanted)) is not None:
            return first
        raise


def _as_an_act(reason: Reason) -> AbstractContextManager[None]:
    """The transaction of a movement; where the database notes it, what is noted belongs to what is recorded."""
    return transaction.atomic() if reason in GAME_REASONS else audited()


def _put_on_record(moved: Transfer) -> None:
    record(
        act="money_moved",
        actor=moved.actor,
        subject=("transfer", moved.pk),
        after={
            "debit": moved.debit_id,
            "credit": moved.credit_id,
            "amount_cents": moved.amount_cents,
            "unit": moved.unit,
            "reason": str(moved.reason),
        },
        at=moved.created_at,
    )


def _first_with_key(wanted: Transfer) -> Transfer | None:
    if wanted.idempotency_key is None:
        return None
    first = Transfer.objects.filter(idempotency_key=wanted.idempotency_key).first()
    if first is not None and any(getattr(first, name) != getattr(wanted, name) for name in _MOVEMENT):
        raise IdempotencyConflict("This key was used for another movement.")
    return first


def deposit(*, wallet: Account, amount_cents: int, actor: str, at: dt.datetime, key: str | None = None) -> Transfer:
    """Bring money in from the outside world."""
    bank = operator_account(kind=AccountKind.BANK, unit=Unit(wallet.unit))
    return post_transfer(
        debit=bank,
        credit=wallet,
        amount_cents=amount_cents,
        reason=Reason.DEPOSIT,
        actor=actor,
        at=at,
        key=key,
    )


def withdraw(*, wallet: Account, amount_cents: int, actor: str, at: dt.datetime, key: str | None = None) -> Transfer:
    """Send money out to the outside world; raises BalanceTooLow."""
    bank = operator_account(kind=AccountKind.BANK, unit=Unit(wallet.unit))
    return post_transfer(
        debit=wallet, credit=bank, amount_cents=amount_cents, reason=Reason.WITHDRAWAL, actor=actor, at=at, key=key
    )
