"""Players' wishes to pay in and to be paid out."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from roulette_site.common.audit import record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from roulette_site.common.sql import breaks_unique_key
from wallets.models import (
    FIRST_STATE,
    Account,
    AccountKind,
    CashKind,
    CashRequest,
    CashState,
    CashStep,
    Player,
    Reason,
    Transfer,
    Unit,
)
from wallets.providers import find_provider

from . import permission_to_pay
from .ledger import IdempotencyConflict, lock_accounts, open_wallet, operator_account, post_transfer

# Ten thousand million: more is a slip of the hand, and sums of it would outgrow what a database counts in.
MOST_CENTS = 10**12


class AmountNotPossible(RuleBroken):
    """An amount is more than nothing, and no more than can be counted."""

    code = "invalid_amount"
    http_status = 422


class UnknownProvider(RuleBroken):
    """There is no such way to pay."""

    code = "unknown_provider"
    http_status = 422


@dataclass(frozen=True)
class Asked:
    """A cash request as its caller gets it; `replayed` where the key had made it before."""

    request: CashRequest
    replayed: bool


def start_deposit(*, player: Player, amount_cents: int, provider: str, key: str, actor: str, at: dt.datetime) -> Asked:
    """Note that a player pays in; the money is his when the provider has confirmed it. The same key again is the same.

    Raises AmountNotPossible, UnknownProvider, IdempotencyConflict, and what permission_to_pay.check_deposit raises.
    """

    def begin(wallet: Account) -> Transfer | None:
        permission_to_pay.check_deposit(player=player, amount_cents=amount_cents, at=at)
        return None

    asked = _ask(CashKind.DEPOSIT, player, amount_cents, provider, key, actor, at, begin)
    if not asked.replayed:
        after_commit("wallets.tasks.begin_deposit", "background", request_id=asked.request.pk)
    return asked


def request_withdrawal(
    *, player: Player, amount_cents: int, provider: str, key: str, actor: str, at: dt.datetime
) -> Asked:
    """Take what is to be paid out from the wallet, at once and for good. The same key again takes nothing.

    Raises AmountNotPossible, UnknownProvider, BalanceTooLow, IdempotencyConflict, and what
    permission_to_pay.check_withdrawal raises.
    """

    def begin(wallet: Account) -> Transfer | None:
        permission_to_pay.check_withdrawal(player=player, amount_cents=amount_cents, at=at)
        return post_transfer(
            debit=wallet,
            credit=operator_account(kind=AccountKind.PENDING, unit=Unit.EUR),
            amount_cents=amount_cents,
            reason=Reason.WITHDRAWAL,
            actor=actor,
            at=at,
        )

    return _ask(CashKind.WITHDRAWAL, player, amount_cents, provider, key, actor, at, begin)


def record_step(
    request: CashRequest, to_state: CashState, *, actor: str, at: dt.datetime, reason: str = "", from_state: str = ""
) -> None:
    """Write down that a request has come so far; what a person has decided stands in the audit trail too."""
    if actor.startswith("staff:"):
        record(
            act=f"cash_request_{to_state}",
            actor=actor,
            subject=("cash_request", request.pk),
            before={"state": from_state},
            after={"state": str(to_state)},
            reason=reason[:300],
            at=at,
        )
    CashStep.objects.create(
        request=request, from_state=from_state, to_state=to_state, actor=actor, reason=reason[:300], at=at
    )


def _ask(
    kind: CashKind,
    player: Player,
    amount_cents: int,
    provider: str,
    key: str,
    actor: str,
    at: dt.datetime,
    begin: Callable[[Account], Transfer | None],
) -> Asked:
    if type(amount_cents) is not int or not 0 < amount_cents <= MOST_CENTS:
        raise AmountNotPossible("This is no amount that can be moved.")
    if find_provider(provider) is None:
        raise UnknownProvider("There is no such way to pay.")
    wallet = open_wallet(player=player, unit=Unit.EUR)
    wanted = CashRequest(
        kind=kind,
        state=FIRST_STATE[kind],
        account=wallet,
        amount_cents=amount_cents,
        unit=Unit.EUR,
        provider=provider,
        idempotency_key=key,
        created_by=actor,
        created_at=at,
    )
    try:
        with transaction.atomic():
            wallet = lock_accounts(wallet.pk)[wallet.pk]
            if (first := _first_with_key(wanted)) is not None:
                return Asked(first, replayed=True)
            wanted.held = begin(wallet)
            wanted.save(force_insert=True)
            record_step(wanted, FIRST_STATE[kind], actor=actor, at=at)
            return Asked(wanted, replayed=False)
    except IntegrityError as error:
        if breaks_unique_key(error):
            # Another player's request spent the key at the same moment: who asks for the same player waited above.
            _first_with_key(wanted)
        raise


def _first_with_key(wanted: CashRequest) -> CashRequest | None:
    first = CashRequest.objects.filter(idempotency_key=wanted.idempotency_key).first()
    if first is not None and any(
        getattr(first, name) != getattr(wanted, name) for name in ("kind", "account_id", "amount_cents", "provider")
    ):
        raise IdempotencyConflict("This key was used for another request.")
    return first
