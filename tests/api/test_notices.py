"""What providers tell over HTTP: only theirs is taken, once, and nothing of it is lost."""

import json
import time
from typing import Any

import pytest
from django.test import Client

from roulette_site.common.models import AuditEntry
from tests.house import House, make_house
from tests.wallets.books import hold_books
from wallets.models import CashRequest, CashState, Finding, Player, ProviderNotice, Standing, Unit
from wallets.notice_signing import sign
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal
from wallets.services.ledger import open_wallet
from wallets.services.standing import set_standing

from .problems import problem

pytestmark = pytest.mark.django_db
SECRET = "a secret of the bank"


@pytest.fixture(autouse=True)
def secrets(settings: Any) -> None:
    settings.PROVIDER_SECRETS = {"bank": SECRET}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(0, "maria")


def send(body: Any, *, provider: str = "bank", secret: str = SECRET, ago: float = 0, **headers: str) -> Any:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    timestamp = int(time.time() - ago)
    signed = {
        "Notice-Timestamp": str(timestamp), "Notice-Signature": sign(secret.encode(), timestamp, raw), **headers,
    }  # fmt: skip
    return Client(raise_request_exception=False).post(
        f"/api/v1/cash/notices/{provider}", raw, content_type="application/json", headers=signed
    )


def started(player: Player, house: House, cents: int = 25_00) -> CashRequest:
    return start_deposit(
        player=player, amount_cents=cents, provider="bank", key=f"d:{house.forward()}", actor="system", at=house.at()
    ).request


def told(request: object, **more: Any) -> dict[str, Any]:
    return {
        "reference": "P-1", "our_reference": str(request), "kind": "deposit", "outcome": "paid", "amount": "25.00",
        "unit": "EUR", **more,
    }  # fmt: skip


def balance(player: Player) -> int:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents or 0


def nothing_was_kept() -> None:
    assert not ProviderNotice.objects.exists()
    assert CashRequest.objects.exclude(state=CashState.STARTED).count() == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Notice-Signature": ""}, {"Notice-Signature": "0" * 64}, {"Notice-Signature": "é" * 64},
        {"Notice-Timestamp": ""}, {"Notice-Timestamp": "soon"}, {"Notice-Timestamp": "1"}, {"Notice-Timestamp": "9" * 400},
        {"Notice-Timestamp": "-1"}, {"Notice-Timestamp": "٣"},
    ],
)  # fmt: skip
def test_what_is_not_signed_is_refused_and_staff_know_once(
    house: House, maria: Player, headers: dict[str, str]
) -> None:
    request = started(maria, house)
    for _ in range(3):
        problem(send(told(request), **headers), 401, "signature_refused")
    nothing_was_kept()
    assert Finding.objects.get().detail.startswith("Notices come in the name of bank")
    assert AuditEntry.objects.filter(act="notice_forged").count() == 1


def test_another_secret_and_a_changed_byte_are_refused(house: House, maria: Player) -> None:
    body = told(started(maria, house))
    problem(send(body, secret="guessed"), 401, "signature_refused")
    good = json.dumps(body).encode()
    timestamp = int(time.time())
    headers = {"Notice-Timestamp": str(timestamp), "Notice-Signature": sign(SECRET.encode(), timestamp, good)}
    problem(send(good.replace(b"25.00", b"95.00"), **headers), 401, "signature_refused")
    nothing_was_kept()


@pytest.mark.parametrize("provider", ["nobody", "fickle"])
def test_who_has_no_secret_tells_nothing_and_leaves_no_row(provider: str) -> None:
    for secret in ("-", "", SECRET):
        problem(send(told("D1"), provider=provider, secret=secret), 401, "signature_refused")
    assert not Finding.objects.exists()


@pytest.mark.parametrize("ago", [301, 86400, -400])
def test_what_was_signed_at_another_time_is_refused(house: House, maria: Player, ago: float) -> None:
    problem(send(told(started(maria, house)), ago=ago), 401, "timestamp_refused")
    nothing_was_kept()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 413, "request_too_large"),
        (b"{", 400, "parse_error"),
        (b"\xff", 400, "parse_error"),
        (b'{"reference": "a", "reference": "b"}', 400, "parse_error"),
        (b'{"amount": NaN}', 400, "parse_error"),
        (b"[" * 5000, 400, "parse_error"),
        (b"[]", 400, "invalid_request"),
        (b"{}", 400, "invalid_request"),
        (told("D1", more=1), 400, "invalid_request"),
        (told("D1", amount=25.0), 400, "invalid_request"),
        (told("D1", amount=25), 400, "invalid_request"),
        (told("D1", reference=17), 400, "invalid_request"),
        (told("D1", reference=" P-1"), 422, "invalid_notice"),
        (told("D1", amount="25,00"), 422, "invalid_amount"),
        (told("D1", amount="1e3"), 422, "invalid_amount"),
        (told("D1", amount="-1.00"), 422, "invalid_amount"),
        (told("D1", amount="0.00"), 422, "invalid_notice"),
        (told("D1", kind="gift"), 400, "invalid_request"),
        (told("D1", outcome="perhaps"), 400, "invalid_request"),
        (told("D1", unit="eur"), 422, "invalid_notice"),
        (told("D1", reference="a b"), 422, "invalid_notice"),
        (told("D1", reference="x" * 81), 400, "invalid_request"),
        (told("D1", reference="a\0b"), 400, "invalid_request"),
        (b" " * (16 * 1024 + 1), 413, "request_too_large"),
    ],
)
def test_what_is_no_notice_is_refused_in_words(body: Any, status: int, code: str) -> None:
    problem(send(body), status, code)
    nothing_was_kept()


def test_a_deposit_is_confirmed_and_a_replay_is_answered_as_the_first_time(house: House, maria: Player) -> None:
    body = told(started(maria, house))
    first = send(body)
    assert (first.status_code, first.json()["verdict"], first.json()["request"]) == (
        200,
        "applied",
        body["our_reference"],
    )
    assert "Idempotent-Replayed" not in first
    # The very same bytes, and the same word signed anew.
    for ago in (0, 60):
        again = send(body, ago=ago)
        assert (again.status_code, again.json()) == (200, first.json())
        assert again["Idempotent-Replayed"] == "true"
    assert (balance(maria), ProviderNotice.objects.count()) == (25_00, 1)
    assert not Finding.objects.exists()
    hold_books()


def test_the_same_payment_told_otherwise_is_a_conflict_that_staff_see(house: House, maria: Player) -> None:
    body = told(started(maria, house))
    send(body)
    for _ in range(2):
        problem(send({**body, "amount": "95.00"}), 409, "notice_differs")
    assert balance(maria) == 25_00
    assert "otherwise than before" in Finding.objects.get().detail


@pytest.mark.parametrize(
    ("more", "verdict", "suspended"),
    [
        ({"amount": "26.00"}, "wrong_amount", 26_00),
        ({"unit": "USD"}, "wrong_unit", None),
        ({"our_reference": "D999999"}, "unknown_request", 25_00),
        ({"our_reference": ""}, "unknown_request", 25_00),
        ({"our_reference": "W1"}, "unknown_request", 25_00),
    ],
)
def test_what_is_not_as_expected_is_kept_answered_and_shown_to_staff(
    house: House, maria: Player, more: dict[str, str], verdict: str, suspended: int | None
) -> None:
    answer = send(told(started(maria, house), **more))
    assert (answer.status_code, answer.json()["verdict"]) == (200, verdict)
    notice = ProviderNotice.objects.get()
    assert (notice.suspended.amount_cents if notice.suspended else None) == suspended
    assert Finding.objects.get().notice == notice
    entry = AuditEntry.objects.get(act="notice_not_applied")
    assert (entry.actor, entry.subject_id, entry.after["verdict"]) == ("provider:bank", str(notice.pk), verdict)
    assert balance(maria) == 0
    hold_books()


def test_paid_twice_late_and_for_a_closed_account(house: House, maria: Player) -> None:
    request = started(maria, house)
    send(told(request))
    assert send(told(request, reference="P-2")).json()["verdict"] == "paid_twice"
    failed = started(maria, house)
    send(told(failed, reference="P-3", outcome="refused", reason="no funds"))
    assert send(told(failed, reference="P-4")).json()["verdict"] == "late"
    gone = house.player(0)
    begun = started(gone, house)
    set_standing(player=gone, standing=Standing.CLOSED, reason="his wish", actor="staff:900001", at=house.at())
    assert send(told(begun, reference="P-5")).json()["verdict"] == "not_permitted"
    assert (balance(maria), balance(gone), Finding.objects.count()) == (25_00, 0, 3)
    assert ProviderNotice.objects.filter(suspended__isnull=False).count() == 3
    hold_books()


def test_withdrawals_are_paid_and_refused(house: House) -> None:
    joao = house.player(100_00)
    for reference, outcome, left in (("P-1", "paid", 75_00), ("P-2", "refused", 75_00)):
        request = request_withdrawal(
            player=joao, amount_cents=25_00, provider="bank", key=reference, actor="system", at=house.forward()
        ).request
        body = told(request, reference=reference, kind="withdrawal", outcome=outcome, reason="said so")
        approve_withdrawal(request_id=request.pk, actor="staff:900001", at=house.forward())
        send_withdrawal(request_id=request.pk, now=house.forward)
        assert send(body).json()["verdict"] == "applied"
        request.refresh_from_db()
        assert (request.state, balance(joao)) == (outcome, left)
    hold_books()
