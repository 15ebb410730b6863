"""Where players are paid out to: named by themselves, sealed, told, and held while it is new."""

import datetime as dt
import json

import pytest
from django.db import IntegrityError, connection, transaction

from roulette_site.common.models import AuditEntry
from tests.house import BY_TWO, IBAN, NOON, House, make_house
from tests.wallets.books import hold_books
from tests.wallets.providers import FickleProvider
from wallets import providers
from wallets.iban import IbanRefused
from wallets.models import CashRequest, CashState, InboxKind, InboxMessage, PayoutAddress, Player, Standing
from wallets.selectors.export import export_person
from wallets.selectors.payout import address_of, find_by_iban, others_paid_to
from wallets.services.cash_requests import PayoutAddressMissing, request_withdrawal
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment
from wallets.services.erasure import close_account, erase_person
from wallets.services.payout import set_payout_address
from wallets.services.permission_to_pay import AccountClosed
from wallets.services.standing import set_standing

pytestmark = pytest.mark.django_db
OTHER = "DE89370400440532013000"
YEARS = dt.timedelta(days=6 * 365)


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(100_00, "maria")


def take_out(player: Player, cents: int, at: dt.datetime, key: str = "k-1", provider: str = "bank") -> CashRequest:
    return request_withdrawal(
        player=player, amount_cents=cents, provider=provider, key=key, actor=f"player:{player.pk}", at=at
    ).request


def steps_of(request: CashRequest) -> list[tuple[str, str, str]]:
    return list(request.steps.order_by("id").values_list("to_state", "actor", "reason"))


def test_nobody_is_paid_out_to_nowhere(maria: Player) -> None:
    PayoutAddress.objects.update(iban_sealed="", iban_hash="", masked="", erased_at=NOON)
    with pytest.raises(PayoutAddressMissing):
        take_out(maria, 10_00, NOON)
    assert CashRequest.objects.count() == 0
    assert maria.account_set.get(kind="wallet").balance_cents == 100_00


def test_what_is_no_iban_changes_nothing(maria: Player) -> None:
    before = address_of(maria)
    with pytest.raises(IbanRefused):
        set_payout_address(player=maria, iban="PT51000201231234567890154", at=NOON)
    assert address_of(maria) == before
    assert InboxMessage.objects.filter(kind=InboxKind.PAYOUT_ADDRESS).count() == 1


def test_a_closed_account_names_no_address(house: House) -> None:
    joao = house.player(0)
    set_standing(player=joao, standing=Standing.CLOSED, reason="his wish", actor="staff:900001", at=NOON)
    with pytest.raises(AccountClosed):
        set_payout_address(player=joao, iban=OTHER, at=NOON)


@pytest.mark.parametrize(("hours", "state"), [(0, CashState.HELD), (23.99, CashState.HELD), (24, CashState.REQUESTED)])
def test_a_withdrawal_to_a_new_address_is_held_for_a_day(maria: Player, hours: float, state: CashState) -> None:
    set_payout_address(player=maria, iban=OTHER, at=NOON)
    request = take_out(maria, 10_00, NOON + dt.timedelta(hours=hours))
    assert (request.state, request.payout_to) == (state, "DE89 **** 3000")
    if state == CashState.HELD:
        assert steps_of(request)[1] == ("held", "system", "the payout address is less than 24 hours old")
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON + dt.timedelta(days=2))
    hold_books()


def test_the_first_address_is_new_too_and_the_old_one_again_as_well(house: House, maria: Player) -> None:
    PayoutAddress.objects.update(iban_sealed="", iban_hash="", masked="", erased_at=NOON)
    set_payout_address(player=maria, iban=IBAN, at=NOON)
    assert take_out(maria, 1_00, NOON, "k-1").state == CashState.HELD
    day = dt.timedelta(days=1)
    set_payout_address(player=maria, iban=OTHER, at=NOON + 2 * day)
    set_payout_address(player=maria, iban=IBAN, at=NOON + 3 * day)
    assert take_out(maria, 1_00, NOON + 3 * day, "k-2").state == CashState.HELD


def test_the_address_that_holds_already_is_no_change(maria: Player) -> None:
    spaced = "pt50 0002 0123 1234 5678 9015 4"
    assert set_payout_address(player=maria, iban=spaced, at=NOON) == address_of(maria)
    assert PayoutAddress.objects.filter(player=maria).count() == 1
    assert take_out(maria, 1_00, NOON).state == CashState.REQUESTED


def test_the_player_is_told_and_the_trail_holds_ids_alone(maria: Player) -> None:
    address = set_payout_address(player=maria, iban=OTHER, at=NOON)
    told = InboxMessage.objects.latest("pk")
    assert (told.player, told.kind, told.data) == (maria, InboxKind.PAYOUT_ADDRESS, {"masked": "DE89 **** 3000"})
    entry = AuditEntry.objects.filter(act="payout_address_set").latest("pk")
    assert (entry.actor, entry.subject_id, entry.after) == (
        f"player:{maria.pk}", str(maria.pk), {"payout": address.pk},
    )  # fmt: skip


def test_the_number_stands_nowhere_in_the_database(maria: Player) -> None:
    take_out(maria, 1_00, NOON)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            assert IBAN not in repr(cursor.fetchall()), table


def test_who_knows_the_number_finds_whose_it_is(house: House, maria: Player) -> None:
    joao = house.player()
    assert {one.player for one in find_by_iban("PT50 0002 0123 1234 5678 9015 4")} == {maria, joao}
    address = address_of(maria)
    assert address is not None
    assert list(others_paid_to(address)) == [joao]
    assert find_by_iban(OTHER) == []


def test_money_goes_where_it_was_to_go_when_it_was_asked_for(maria: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = FickleProvider()
    monkeypatch.setitem(providers._providers, provider.code, provider)
    request = take_out(maria, 10_00, NOON, provider=provider.code)
    set_payout_address(player=maria, iban=OTHER, at=NOON)
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    question, order = provider.asked[-1]
    assert (question, order.iban) == ("pay_out", IBAN)
    assert IBAN not in repr(order)


def test_the_address_of_a_withdrawal_cannot_be_changed_by_anyone(house: House, maria: Player) -> None:
    request = take_out(maria, 10_00, NOON)
    address = set_payout_address(player=maria, iban=OTHER, at=NOON)
    for change in ({"payout_address": address}, {"payout_to": "XX00 **** 0000"}):
        with pytest.raises(IntegrityError, match="wallets_cashrequest"), transaction.atomic():
            CashRequest.objects.filter(pk=request.pk).update(**change)
    with pytest.raises(IntegrityError, match="wallets_payoutaddress"), transaction.atomic():
        PayoutAddress.objects.filter(pk=address.pk).update(player=house.player())
    with pytest.raises(IntegrityError), transaction.atomic():
        PayoutAddress.objects.filter(pk=address.pk).update(iban_sealed="")


def test_the_export_has_the_number_and_erasure_leaves_the_masked_form_alone(house: House) -> None:
    maria = house.player(10_00)
    request = take_out(maria, 10_00, house.at())
    named = export_person(maria.user, at=NOON)["player"]["payout_addresses"]
    assert [one["iban"] for one in named] == [IBAN]
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    send_withdrawal(request_id=request.pk, now=lambda: NOON)
    confirm_payment(request_id=request.pk, reference="out-1", **BY_TWO, at=NOON)
    close_account(user=maria.user, reason="asked for", actor="staff:900001", at=NOON)
    erase_person(user=maria.user, reason="retention is over", actor="system", at=NOON + YEARS)
    assert address_of(maria) is None
    assert [one.player for one in find_by_iban(IBAN)] == []
    assert IBAN not in json.dumps(export_person(maria.user, at=NOON))
    request.refresh_from_db()
    assert request.payout_to == "PT50 **** 0154"
    hold_books()
