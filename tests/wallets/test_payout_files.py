"""The file of withdrawals that are transferred by hand: what is in it, who may take it, and what stays of that."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from roulette_site.common.models import AuditEntry
from roulette_site.common.roles import lay_roles
from tests.house import BY_TWO, IBAN, NOON, House, make_house
from tests.web.pages import client_of, staff_client
from wallets.models import CashRequest, CashState, Player, User
from wallets.services.cash_requests import request_withdrawal
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, take_step
from wallets.services.payout_files import COLUMNS, make_payout_file
from wallets.services.people import add_staff

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(100_00)


def approved(player: Player, cents: int, *, is_sent: bool = False) -> CashRequest:
    request = request_withdrawal(
        player=player, amount_cents=cents, provider="bank", key=f"w-{cents}", actor="api:house", at=NOON
    ).request
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    if is_sent:
        send_withdrawal(request_id=request.pk, now=lambda: NOON)
    return request


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_it_holds_what_is_approved_and_not_paid_and_nothing_else(maria: Player) -> None:
    first, second = approved(maria, 10_00), approved(maria, 20_00, is_sent=True)
    paid, unknown = approved(maria, 5_00, is_sent=True), approved(maria, 6_00, is_sent=True)
    confirm_payment(request_id=paid.pk, reference="B-1", **BY_TWO, at=NOON)
    take_step(request_id=unknown.pk, to_state=CashState.UNKNOWN, actor="system", at=NOON)
    request_withdrawal(player=maria, amount_cents=1_00, provider="bank", key="w", actor="api:house", at=NOON)
    made = make_payout_file(actor="staff:900001", at=NOON)
    assert made.text.splitlines()[0] == ",".join(COLUMNS)
    assert [(one["reference"], one["iban"], one["amount"], one["unit"]) for one in read(made.text)] == [
        (str(first), IBAN, "10.00", "EUR"), (str(second), IBAN, "20.00", "EUR"),
    ]  # fmt: skip
    assert made.count == 2


def test_a_line_of_an_earlier_file_says_so_and_each_is_in_the_trail_without_the_number(maria: Player) -> None:
    first = approved(maria, 10_00)
    make_payout_file(actor="staff:900001", at=NOON)
    second = approved(maria, 20_00)
    rows = read(make_payout_file(actor="staff:900002", at=NOON).text)
    assert [(one["reference"], one["in_earlier_file"]) for one in rows] == [(str(first), "yes"), (str(second), "no")]
    entries = AuditEntry.objects.filter(act="payout_listed").order_by("id")
    assert [(one.actor, one.subject_id, one.after["again"]) for one in entries] == [
        ("staff:900001", str(first.pk), False), ("staff:900002", str(first.pk), True),
        ("staff:900002", str(second.pk), False),
    ]  # fmt: skip
    assert all(IBAN not in str(one.after) for one in entries)


@pytest.mark.parametrize("name", ["=1+1", "+351", "-1", "@SUM(A1)", "\t=1"])
def test_no_spreadsheet_computes_it(maria: Player, name: str) -> None:
    approved(maria, 10_00)
    User.objects.filter(pk=maria.user_id).update(full_name=name)
    assert read(make_payout_file(actor="staff:900001", at=NOON).text)[0]["name"] == f"'{name}"


def test_finance_alone_takes_it_and_no_link_does(house: House, maria: Player) -> None:
    request = approved(maria, 10_00)
    page = reverse("staff-payout-file")
    for role in ("Support", "Compliance", "Auditor", "Regulator", "Floor manager", "Administrator"):
        user = add_staff(email=f"{role.split()[0]}@test.example", full_name=role, roles=[role], at=NOON)
        assert staff_client(user).post(page).status_code == 403, role
    for client in (Client(), client_of(maria)):
        assert client.post(page).status_code == 302
    filipa = staff_client(add_staff(email="filipa@test.example", full_name="F", roles=["Finance"], at=NOON))
    assert filipa.get(page).status_code == 405
    assert not AuditEntry.objects.filter(act="payout_listed").exists()
    assert page in filipa.get(reverse("staff-cash")).content.decode()
    answer = filipa.post(page)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert "no-store" in answer["Cache-Control"]
    assert str(request) in answer.content.decode()
