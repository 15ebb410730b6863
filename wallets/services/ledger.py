"""Moving money between accounts, outside the hot paths of placing bets and settling rounds (both in tables)."""

import datetime as dt

from django.db import IntegrityError, connection, models, transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import breaks_unique_key
from wallets.models import Account, AccountKind, Player, Reason, Transfer, Unit
from wallets.selectors.gates import gates_of

from .player_days import count_in_day, day_of_account


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
    """Return the operator's one account of that kind (house, bank or suspense) and unit, made where there is none."""
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
    player_day: dt.date | None = None,
) -> Transfer:
    """Move `amount_cents` from debit to credit and return the transfer; the same key again returns the first one.

    With `player_day` it counts in that day of the player's limits.

    Raises BalanceTooLow, and IdempotencyConflict where the key moved something else before.
    """
    with transaction.atomic():
        locked = lock_accounts(debit.pk, credit.pk)
        if key is not None and (first := Transfer.objects.filter(idempotency_key=key).first()) is not None:
            same = (first.debit_id, first.credit_id, first.amount_cents, first.reason) == (
                debit.pk, credit.pk, amount_cents, reason,
            )  # fmt: skip
            if not same:
                raise IdempotencyConflict("This key was used for another movement.")
            return first
        balance = locked[debit.pk].balance_cents
        if balance is not None and balance < amount_cents:
            raise BalanceTooLow("The balance does not cover the amount.", balance_cents=balance)
        for account, change in ((debit, -amount_cents), (credit, amount_cents)):
            if locked[account.pk].balance_cents is not None:
                Account.objects.filter(pk=account.pk).update(balance_cents=models.F("balance_cents") + change)
        try:
            transfer = Transfer.objects.create(
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
                player_day=player_day,
            )
            count_in_day(transfer)
            return transfer
        except IntegrityError as error:
            if not breaks_unique_key(error):
                raise
            # Who moves money of the same accounts has waited above; others may have spent the key at the same moment.
            raise IdempotencyConflict("This key was used for another movement.") from error


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
        player_day=day_of_account(wallet, at),
    )


def withdraw(*, wallet: Account, amount_cents: int, actor: str, at: dt.datetime, key: str | None = None) -> Transfer:
    """Send money out to the outside world; raises BalanceTooLow."""
    bank = operator_account(kind=AccountKind.BANK, unit=Unit(wallet.unit))
    return post_transfer(
        debit=wallet, credit=bank, amount_cents=amount_cents, reason=Reason.WITHDRAWAL, actor=actor, at=at, key=key
    )
