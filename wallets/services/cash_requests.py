"""Players' wishes to pay in and to be paid out."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from django.db import IntegrityError

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from roulette_site.common.sql import breaks_unique_key
from wallets.amounts import MOST_CENTS
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
    Unit,
)
from wallets.providers import find_provider
from wallets.selectors.payout import address_of

from . import permission_to_pay
from .ledger import IdempotencyConflict, lock_accounts, open_wallet, operator_account, post_transfer

# For so long a withdrawal to an address that was named or changed waits for a person.
ADDRESS_IS_NEW = dt.timedelta(hours=24)
# Who pays an IBAN, and what the first step of a withdrawal says that was made for a closing.
BANK, CLOSURE = "bank", "closure"
HELD_AS_NEW = "the payout address is less than 24 hours old"


class AmountNotPossible(RuleBroken):
    """An amount is more than nothing, and no more than can be counted."""

    code = "invalid_amount"
    http_status = 422


class UnknownProvider(RuleBroken):
    """There is no such way to pay."""

    code = "unknown_provider"
    http_status = 422


class PayoutAddressMissing(RuleBroken):
    """Nobody is paid out before he has named the account that it goes to."""

    code = "payout_address_missing"


@dataclass(frozen=True)
class Asked:
    """A cash request as its caller gets it; `replayed` where the key had made it before."""

    request: CashRequest
    replayed: bool


def start_deposit(*, player: Player, amount_cents: int, provider: str, key: str, actor: str, at: dt.datetime) -> Asked:
    """Note that a player pays in; the money is his when the provider has confirmed it. The same key again is the same.

    Raises AmountNotPossible, UnknownProvider, IdempotencyConflict, and what permission_to_pay.check_deposit raises.
    """

    def begin(wanted: CashRequest, wallet: Account) -> None:
        permission_to_pay.check_deposit(player=player, amount_cents=amount_cents, at=at, is_beginning=True)

    asked = _ask(CashKind.DEPOSIT, player, amount_cents, provider, key, actor, at, begin)
    if not asked.replayed:
        after_commit("wallets.tasks.begin_deposit", "background", request_id=asked.request.pk)
    return asked


def request_withdrawal(
    *, player: Player, amount_cents: int, provider: str, key: str, actor: str, at: dt.datetime
) -> Asked:
    """Take what is to be paid out from the wallet, at once and for good. The same key again takes nothing.

    It goes to the payout address that the player has named; one of the last ADDRESS_IS_NEW is held for staff to look
    at. Raises AmountNotPossible, UnknownProvider, PayoutAddressMissing, BalanceTooLow, IdempotencyConflict, and what
    permission_to_pay.check_withdrawal raises.
    """

    def begin(wanted: CashRequest, wallet: Account) -> None:
        permission_to_pay.check_withdrawal(player=player, amount_cents=amount_cents, at=at)
        _send_to_address(wanted, player)
        _hold_money(wanted, wallet)

    return _ask(CashKind.WITHDRAWAL, player, amount_cents, provider, key, actor, at, begin)


def pay_out_rest(
    *, player: Player, amount_cents: int, key: str, at: dt.datetime, refund_of: CashRequest | None = None
) -> CashRequest:
    """Take money from the wallet of an account that is being closed, for its player and without his asking again.

    It goes to his payout address, by a bank transfer, or back the way that the deposit `refund_of` came: also to who
    was never verified. Raises PayoutAddressMissing, BalanceTooLow, and what permission_to_pay.check_rest raises.
    """

    def begin(wanted: CashRequest, wallet: Account) -> None:
        permission_to_pay.check_rest(player=player, amount_cents=amount_cents, is_refund=refund_of is not None)
        wanted.refund_of = refund_of
        if refund_of is None:
            _send_to_address(wanted, player)
        _hold_money(wanted, wallet)

    provider = BANK if refund_of is None else refund_of.provider
    return _ask(CashKind.WITHDRAWAL, player, amount_cents, provider, key, "system", at, begin, CLOSURE).request


def _send_to_address(wanted: CashRequest, player: Player) -> None:
    address = address_of(player)
    if address is None:
        raise PayoutAddressMissing("Say first which bank account you are paid out to.")
    wanted.payout_address, wanted.payout_to = address, address.masked


def _hold_money(wanted: CashRequest, wallet: Account) -> None:
    wanted.held = post_transfer(
        debit=wallet,
        credit=operator_account(kind=AccountKind.PENDING, unit=Unit.EUR),
        amount_cents=wanted.amount_cents,
        reason=Reason.WITHDRAWAL,
        actor=wanted.created_by,
        at=wanted.created_at,
    )


def record_step(
    request: CashRequest, to_state: CashState, *, actor: str, at: dt.datetime, reason: str = "", from_state: str = ""
) -> None:
    """Write down that a request has come so far, also in the audit trail; needs the block of the act that took it.

    There the words of a provider are left out: they may name somebody.
    """
    record(
        act=f"cash_request_{to_state}",
        actor=actor,
        subject=("cash_request", request.pk),
        before={"state": from_state},
        after={"state": str(to_state)},
        reason="" if actor.startswith("provider:") else reason[:300],
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
    begin: Callable[[CashRequest, Account], None],
    reason: str = "",
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
        with audited():
            wallet = lock_accounts(wallet.pk)[wallet.pk]
            if (first := _first_with_key(wanted)) is not None:
                return Asked(first, replayed=True)
            begin(wanted, wallet)
            wanted.save(force_insert=True)
            record_step(wanted, FIRST_STATE[kind], actor=actor, at=at, reason=reason)
            _hold_where_new(wanted, at)
            return Asked(wanted, replayed=False)
    except IntegrityError as error:
        if breaks_unique_key(error):
            # Another player's request spent the key at the same moment: who asks for the same player waited above.
            _first_with_key(wanted)
        raise


def _hold_where_new(request: CashRequest, at: dt.datetime) -> None:
    """Let staff look at a withdrawal to an address that is new: who stole a login changes it before he takes money."""
    address = request.payout_address
    if address is not None and at < address.set_at + ADDRESS_IS_NEW:
        first, request.state = request.state, CashState.HELD
        request.save(update_fields=["state"])
        record_step(request, CashState.HELD, actor="system", at=at, reason=HELD_AS_NEW, from_state=first)


def _first_with_key(wanted: CashRequest) -> CashRequest | None:
    first = CashRequest.objects.filter(idempotency_key=wanted.idempotency_key).first()
    if first is not None and any(
        getattr(first, name) != getattr(wanted, name) for name in ("kind", "account_id", "amount_cents", "provider")
    ):
        raise IdempotencyConflict("This key was used for another request.")
    return first
