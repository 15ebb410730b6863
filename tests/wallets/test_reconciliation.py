"""Statements read strictly, differences found once, and findings that somebody takes and resolves."""

import datetime as dt
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from roulette_site.common import guards
from roulette_site.common.reasons import ReasonNotUsable
from tests.house import BY_TWO, NOON, House, make_house
from wallets.models import CashRequest, Finding, FindingKind, FindingStep, Player, ProviderNotice, Unit
from wallets.selectors.findings import finding_lines, open_findings, resolved_findings
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment
from wallets.services.findings import (
    FindingResolved,
    NotYours,
    open_finding,
    resolve_finding,
    take_finding,
)
from wallets.services.ledger import open_wallet
from wallets.services.notices import InvalidNotice
from wallets.services.reconciliation import reconcile, reconcile_statement
from wallets.services.statements import apply_statement
from wallets.statement_files import COLUMNS, InvalidStatement, StatementLine, read_statement

from .books import hold_books

pytestmark = pytest.mark.django_db
HEAD = ",".join(COLUMNS) + "\n"
LINE = "B-1,D1,deposit,paid,25.00,EUR,2026-06-15T12:00:00+00:00\n"


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(100_00)


def pay_in(player: Player, cents: int) -> CashRequest:
    return start_deposit(
        player=player, amount_cents=cents, provider="bank", key=f"d-{cents}", actor="system", at=NOON
    ).request


def sent(player: Player, cents: int) -> CashRequest:
    request = request_withdrawal(
        player=player, amount_cents=cents, provider="bank", key=f"w-{cents}", actor="system", at=NOON
    ).request
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    return request


def line(
    request: CashRequest | None, cents: int, reference: str, *, outcome: str = "paid", ours: str = ""
) -> StatementLine:
    return StatementLine(
        reference, ours or str(request or ""), request.kind if request else "deposit", outcome, cents, "EUR", NOON
    )


# The file.


def test_a_statement_is_read_exactly() -> None:
    (read,) = read_statement((HEAD + LINE).encode())
    assert read == StatementLine("B-1", "D1", "deposit", "paid", 25_00, "EUR", NOON)
    assert list(read_statement(HEAD.encode())) == []
    # As spreadsheets save it.
    assert list(read_statement((HEAD + LINE).encode("utf-8-sig"))) == [read]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1: the columns are"), (LINE, "line 1: the columns are"), ("\ufeff\ufeff" + HEAD + LINE, "line 1: the columns are"),
        (HEAD + "\n", "line 2: 0 cells"), (HEAD + "B-1,D1\n", "line 2: 2 cells"), (HEAD + LINE.strip() + ",x\n", "line 2: 8"),
        (HEAD + LINE.replace("25.00", "25,00"), "line 2: 8 cells"), (HEAD + LINE.replace("25.00", "-25.00"), "line 2: amount"),
        (HEAD + LINE.replace("25.00", "0.00"), "line 2: amount is nothing"), (HEAD + LINE.replace("25.00", "1e3"), "amount"),
        (HEAD + LINE.replace("paid", "maybe"), "line 2: outcome"), (HEAD + LINE.replace("deposit", "gift"), "line 2: kind"),
        (HEAD + LINE.replace("EUR", "euro"), "line 2: unit"), (HEAD + LINE.replace("+00:00", ""), "no offset"),
        (HEAD + LINE.replace("2026-06-15T", "15.6."), "booked_at"), (HEAD + LINE.replace("B-1", "=B1"), "reference"),
        (HEAD + LINE.replace("B-1", ""), "reference"), (HEAD + LINE.replace("B-1", "B 1"), "reference"),
        (HEAD + LINE + LINE, "line 3: reference stands in the file twice"), (HEAD + LINE.replace("D1", "é"), "our_reference"),
        (HEAD + LINE.replace("25.00", "10000000000.01"), "line 2: amount is more"),
        (HEAD + '"B-1,D1,deposit\n', "unexpected end"), (HEAD + LINE.replace("D1", "D\0"), "NUL"),
    ],
)  # fmt: skip
def test_a_statement_with_one_fault_is_refused_as_a_whole(text: str, fault: str) -> None:
    with pytest.raises(InvalidStatement) as refused:
        read_statement(text.encode())
    assert any(fault in one for one in refused.value.faults), refused.value.faults


def test_what_is_no_text_and_what_is_too_much() -> None:
    for data in (b"\xff\xfe", b"x" * (20 * 1024 * 1024 + 1)):
        with pytest.raises(InvalidStatement):
            read_statement(data)
    with pytest.raises(InvalidStatement) as refused:
        read_statement((HEAD + "x\n" * 1000).encode())
    assert len(refused.value.faults) == 50


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (HEAD + text).encode(errors="replace")))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    with suppress(InvalidStatement):
        read_statement(data)


def test_a_statement_is_applied_line_by_line_and_twice_changes_nothing(maria: Player) -> None:
    paid_in, paid_out = pay_in(maria, 25_00), sent(maria, 40_00)
    lines = [line(paid_in, 25_00, "B-1"), line(paid_out, 40_00, "B-2"), line(None, 7_00, "B-3", ours="D77")]
    counted = apply_statement(provider="bank", lines=lines, actor="system", at=NOON)
    assert counted == {"applied": 2, "unknown_request": 1}
    assert apply_statement(provider="bank", lines=lines, actor="system", at=NOON) == {"repeated": 3}
    assert open_wallet(player=maria, unit=Unit.EUR).balance_cents == 85_00
    assert ProviderNotice.objects.count() == 3
    assert (
        reconcile_statement(provider="bank", lines=lines, actor="system", at=NOON)[0].kind
        == FindingKind.STATEMENT_UNKNOWN
    )
    hold_books()


def test_of_a_statement_with_a_line_that_cannot_be_nothing_is_applied(maria: Player) -> None:
    paid_in = pay_in(maria, 25_00)
    lines = [line(paid_in, 25_00, "B-1"), line(None, 10**12 + 1, "B-2", ours="D77")]
    with pytest.raises(InvalidNotice):
        apply_statement(provider="bank", lines=lines, actor="system", at=NOON)
    paid_in.refresh_from_db()
    assert (paid_in.state, ProviderNotice.objects.count()) == ("started", 0)


# Differences.


def test_a_statement_is_held_against_the_requests_both_ways(maria: Player) -> None:
    agrees, other_amount, not_here, missing = (pay_in(maria, cents) for cents in (1_00, 2_00, 3_00, 4_00))
    refused_there = pay_in(maria, 5_00)
    for request in (agrees, other_amount, missing, refused_there):
        confirm_payment(request_id=request.pk, reference=f"B-{request}", **BY_TWO, at=NOON)
    lines = [
        line(agrees, 1_00, "B-1"),
        line(other_amount, 2_50, "B-2"),
        line(not_here, 3_00, "B-3"),
        line(refused_there, 5_00, "B-5", outcome="refused"),
        line(None, 9_00, "B-9"),
        line(None, 1_00, "B-10", ours=f"W{agrees.pk}"),
    ]
    found = reconcile_statement(provider="bank", lines=lines, actor="system", at=NOON)
    assert [(one.kind, one.request, one.amount_cents) for one in found] == [
        (FindingKind.STATEMENT_AMOUNT, other_amount, 50),
        (FindingKind.STATEMENT_OUTCOME, not_here, 3_00),
        (FindingKind.STATEMENT_OUTCOME, refused_there, 5_00),
        (FindingKind.STATEMENT_UNKNOWN, None, 9_00),
        (FindingKind.STATEMENT_UNKNOWN, None, 1_00),
        (FindingKind.STATEMENT_MISSING, missing, 4_00),
    ]
    assert reconcile_statement(provider="bank", lines=lines, actor="system", at=NOON) == []
    assert reconcile_statement(provider="bank", lines=[], actor="system", at=NOON) == []


def test_a_balance_that_does_not_equal_its_transfers_is_a_finding_once(maria: Player) -> None:
    assert reconcile(actor="system", at=NOON) == []
    wallet = open_wallet(player=maria, unit=Unit.EUR)
    type(wallet).objects.filter(pk=wallet.pk).update(balance_cents=100_07)
    (found,) = reconcile(actor="system", at=NOON)
    assert (found.kind, found.account, found.amount_cents) == (FindingKind.BALANCE, wallet, 7)
    assert reconcile(actor="system", at=NOON) == []


@pytest.mark.django_db(transaction=True)
def test_a_request_that_does_not_agree_with_its_transfers_is_a_finding(maria: Player) -> None:
    request = pay_in(maria, 25_00)
    confirm_payment(request_id=request.pk, reference="B-1", **BY_TWO, at=NOON)
    guards.uninstall(connection)
    CashRequest.objects.filter(pk=request.pk).update(amount_cents=26_00)
    guards.install(connection)
    (found,) = reconcile(actor="system", at=NOON)
    assert (found.kind, found.request) == (FindingKind.REQUEST, request)


def test_what_waits_for_too_long_is_a_finding_and_not_a_refund(maria: Player) -> None:
    request = sent(maria, 40_00)
    assert reconcile(actor="system", at=NOON + dt.timedelta(days=3) - dt.timedelta(seconds=1)) == []
    (found,) = reconcile(actor="system", at=NOON + dt.timedelta(days=3))
    assert (found.kind, found.request, found.amount_cents) == (FindingKind.OVERDUE, request, 40_00)
    assert open_wallet(player=maria, unit=Unit.EUR).balance_cents == 60_00


# Findings.


def found(subject: str = "a") -> Finding:
    made = open_finding(kind=FindingKind.BALANCE, subject=subject, detail="x", actor="system", at=NOON)
    assert made is not None
    return made


def test_a_finding_is_taken_and_resolved_by_the_one_who_has_it(house: House) -> None:
    finding = found()
    with pytest.raises(NotYours):
        resolve_finding(finding_id=finding.pk, text="done", actor="staff:900001", at=NOON)
    first = take_finding(finding_id=finding.pk, actor="staff:900001", at=NOON)
    assert take_finding(finding_id=finding.pk, actor="staff:900001", at=NOON) == first
    take_finding(finding_id=finding.pk, actor="staff:900002", at=NOON)
    with pytest.raises(NotYours):
        resolve_finding(finding_id=finding.pk, text="done", actor="staff:900001", at=NOON)
    for text in ("", "  ", "x" * 1001, "a\0"):
        with pytest.raises(ReasonNotUsable):
            resolve_finding(finding_id=finding.pk, text=text, actor="staff:900002", at=NOON)
    resolve_finding(finding_id=finding.pk, text=" The bank had a typing error. ", actor="staff:900002", at=NOON)
    for act in (take_finding, lambda **k: resolve_finding(**k, text="again")):
        with pytest.raises(FindingResolved):
            act(finding_id=finding.pk, actor="staff:900002", at=NOON)
    assert list(FindingStep.objects.order_by("id").values_list("kind", "actor", "text")) == [
        ("taken", "staff:900001", ""), ("taken", "staff:900002", ""), ("resolved", "staff:900002", "The bank had a typing error."),
    ]  # fmt: skip


def test_the_same_difference_is_found_anew_after_it_was_resolved_and_not_before(house: House) -> None:
    finding = found()
    assert open_finding(kind=FindingKind.BALANCE, subject="a", detail="x", actor="system", at=NOON) is None
    take_finding(finding_id=finding.pk, actor="staff:900001", at=NOON)
    resolve_finding(finding_id=finding.pk, text="done", actor="staff:900001", at=NOON)
    again = found()
    assert again != finding
    assert open_finding(kind=FindingKind.BALANCE, subject="a", detail="x", actor="system", at=NOON) is None
    assert found("b") not in (finding, again)
    assert found("x" * 500)


def test_lists_are_by_age_with_owner_and_resolution(house: House) -> None:
    first, second, third = found("a"), found("b"), found("c")
    take_finding(finding_id=second.pk, actor="staff:999999", at=NOON)
    take_finding(finding_id=third.pk, actor="staff:900001", at=NOON)
    resolve_finding(finding_id=third.pk, text="done", actor="staff:900001", at=NOON)
    lines = finding_lines(open_findings(), at=NOON + dt.timedelta(days=2), limit=9)
    assert [(one.finding, one.owner, one.age.days) for one in lines] == [(first, "", 2), (second, "staff:999999", 2)]
    assert [one.finding for one in finding_lines(open_findings(), at=NOON, limit=9, after=first.pk)] == [second]
    (done,) = finding_lines(resolved_findings(), at=NOON, limit=9)
    assert done.resolution is not None
    assert done.resolution.text == "done"


def test_the_database_holds_that_a_resolution_says_how_and_is_one(house: House) -> None:
    finding = found()
    step = {"finding": finding, "kind": "resolved", "actor": "x", "at": NOON}
    with pytest.raises(IntegrityError, match="finding_step_resolution_says_how"), transaction.atomic():
        FindingStep.objects.create(**step)
    FindingStep.objects.create(**step, text="done")
    with pytest.raises(IntegrityError), transaction.atomic():
        FindingStep.objects.create(**step, text="done")


# Commands.


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_the_commands_read_apply_and_compare(maria: Player, tmp_path: Path) -> None:
    request = pay_in(maria, 25_00)
    file = tmp_path / "statement.csv"
    file.write_text(HEAD + LINE.replace("D1", str(request)))
    assert "New findings: 1." in said("reconcile", "--statement", "bank", str(file))
    assert "1 applied" in said("read_statement", "bank", str(file))
    assert "1 repeated" in said("read_statement", "bank", str(file))
    assert "New findings: 0." in said("reconcile", "--statement", "bank", str(file))
    for arguments, words in (
        (("read_statement", "bank", str(tmp_path / "none")), "cannot be read"),
        (("read_statement", "bank", str(tmp_path)), "cannot be read"),
        (("read_statement", "nobody", str(file)), "invalid choice"),
        (("reconcile", "--statement", "nobody", str(file)), "no provider nobody"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command(*arguments)
    file.write_text(HEAD + "nonsense\n")
    with pytest.raises(CommandError, match="refused as a whole"):
        call_command("read_statement", "bank", str(file))
