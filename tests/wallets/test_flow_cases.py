"""The flows of tests/cases/flow.json that pay in or out, through the cash desk and the table."""

import json
from pathlib import Path
from typing import Any

import pytest

from roulette_site.common.errors import RuleBroken
from tables import draws
from tables.services.rounds import draw_round
from tables.services.settlement import settle_round
from tests.house import BY_TWO, DRAW_KEY, PlayerAtTable, make_house
from wallets.amounts import InvalidAmount, format_cents, parse_cents
from wallets.models import Transfer
from wallets.selectors.operator_balances import operator_balance
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_steps import confirm_payment

from .books import hold_books

pytestmark = pytest.mark.django_db
ALL = json.loads((Path(__file__).parents[1] / "cases" / "flow.json").read_text())
CODES = {"balance_too_low": "insufficient_funds", "idempotency_conflict": "key_conflict"}


def acts(ops: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [act for op in ops for act in (acts(op["ops"]) if op["op"] == "parallel" else [op])]


CASES = [case for case in ALL if any(act["op"] in ("deposit", "withdraw") for act in acts(case["given"]["ops"]))]


class Flow:
    """One player at one table. What is parallel is done in turn here; tests/races shows it at once."""

    def __init__(self, case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        given = case["given"]
        house = make_house(minimum_cents=parse_cents(given["min"]), stake_step_cents=2)
        self.player: PlayerAtTable = house.seated(balance_cents=parse_cents(given["start_balance"]))
        self.monkeypatch = monkeypatch

    def take(self, op: dict[str, Any]) -> Any:
        if op["op"] == "parallel":
            return [self.take(one) for one in op["ops"]]
        try:
            return getattr(self, f"_{op['op']}")(op) or "ok"
        except InvalidAmount:
            return "rejected:invalid_amount"
        except RuleBroken as error:
            codes = [breach["reason"] for breach in getattr(error, "breaches", [])] or [error.code]
            return f"rejected:{CODES.get(codes[0], codes[0])}"

    def _open(self, op: dict[str, Any]) -> None:
        """The round is open since the player sat down."""

    def _place(self, op: dict[str, Any]) -> str:
        self.player.place(*op["bets"], key=f"case:{self.player.seat.pk}:{op['key']}")
        return "accepted"

    def _close_bets(self, op: dict[str, Any]) -> None:
        self.player.launch()

    def _result(self, op: dict[str, Any]) -> None:
        self.monkeypatch.setattr(draws, "draw_number", lambda *asked: op["number"])
        assert draw_round(game_round_id=self.player.game_round.pk, key=DRAW_KEY, at=self.player.house.forward())

    def _settle(self, op: dict[str, Any]) -> None:
        assert settle_round(game_round_id=self.player.game_round.pk, at=self.player.house.forward())

    def _ask(self, act: Any, op: dict[str, Any]) -> Any:
        seat = self.player.seat
        return act(
            player=seat.player, amount_cents=parse_cents(op["amount"]), provider="bank",
            key=f"case:{seat.pk}:{op['key']}", actor=f"player:{seat.player_id}", at=self.player.house.forward(),
        )  # fmt: skip

    def _deposit(self, op: dict[str, Any]) -> None:
        request = self._ask(start_deposit, op).request
        confirm_payment(request_id=request.pk, reference=f"in-{request.pk}", **BY_TWO, at=self.player.house.forward())

    def _withdraw(self, op: dict[str, Any]) -> None:
        self._ask(request_withdrawal, op)


def test_the_cases_are_those_that_pay() -> None:
    assert [case["id"] for case in CASES] == ["FLO-017", "FLO-018", "FLO-020", "FLO-069", "FLO-070", "FLO-076"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_cases(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    flow, expected = Flow(case, monkeypatch), case["expect"]
    results = [flow.take(op) for op in case["given"]["ops"]]
    # Of acts at the same time either may win.
    assert [sorted(map(_plain, one)) if isinstance(one, list) else one for one in results] == [
        sorted(map(_plain, one)) if isinstance(one, list) else one for one in expected["results"]
    ]
    assert format_cents(flow.player.balance_cents) == expected["balance"]
    assert operator_balance(flow.player.wallet.pk) == flow.player.balance_cents
    if "ledger" in expected:
        assert _movements(flow.player.wallet.pk) == expected["ledger"]
    hold_books()


def _plain(result: str) -> str:
    return "ok" if result == "accepted" else result


def _movements(wallet_id: int) -> list[str]:
    """The net movement of each act: what a settlement pays in parts is one."""
    moved: dict[Any, int] = {}
    for one in Transfer.objects.order_by("id"):
        sign = (one.credit_id == wallet_id) - (one.debit_id == wallet_id)
        if sign:
            act = ("settled", one.round_ref) if one.reason in ("stake_returned", "prize") else one.pk
            moved[act] = moved.get(act, 0) + sign * one.amount_cents
    return [format_cents(cents) for cents in moved.values()]
