"""Paying in and out as a player, and hearing of it from a provider."""

import itertools
from collections.abc import Callable

from tests.house import NOON
from wallets.models import Account, AccountKind, CashKind, CashRequest, NoticeOutcome, Player, Unit
from wallets.selectors.operator_balances import operator_balance
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal
from wallets.services.ledger import open_wallet, operator_account
from wallets.services.notices import Taken, Told, take_notice

_keys = itertools.count(1)


def wallet_of(player: Player) -> Account:
    return open_wallet(player=player, unit=Unit.EUR)


def balance(player: Player) -> int:
    cents = wallet_of(player).balance_cents
    assert cents is not None
    return cents


def of_operator(kind: AccountKind) -> int:
    return operator_balance(operator_account(kind=kind, unit=Unit.EUR).pk)


def ask(act: Callable, player: Player, cents: int, *, key: str = "", provider: str = "bank") -> CashRequest:
    key = key or f"key-{next(_keys)}"
    return act(
        player=player, amount_cents=cents, provider=provider, key=key, actor=f"player:{player.pk}", at=NOON
    ).request


def pay_in(player: Player, cents: int, **more: str) -> CashRequest:
    return ask(start_deposit, player, cents, **more)


def take_out(player: Player, cents: int, **more: str) -> CashRequest:
    return ask(request_withdrawal, player, cents, **more)


def sent(player: Player, cents: int, **more: str) -> CashRequest:
    request = take_out(player, cents, **more)
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    request.refresh_from_db()
    return request


def tell(
    request: CashRequest | None,
    outcome: NoticeOutcome = NoticeOutcome.PAID,
    *,
    cents: int | None = None,
    unit: str = "EUR",
    reference: str = "",
    **more: str,
) -> Taken:
    told = Told(
        provider=more.get("provider", request.provider if request else "bank"),
        reference=reference or f"p-{next(_keys)}",
        our_reference=more.get("our_reference", request.reference if request else "D999999"),
        kind=CashKind(more.get("kind", request.kind if request else "deposit")),
        outcome=outcome,
        amount_cents=request.amount_cents if cents is None and request else cents or 1_00,
        unit=unit,
        reason=more.get("reason", ""),
    )
    return take_notice(told=told, actor="provider:bank", at=NOON)


def state(request: CashRequest) -> str:
    request.refresh_from_db()
    return request.state


def steps(request: CashRequest) -> list[str]:
    return list(request.steps.order_by("id").values_list("to_state", flat=True))
