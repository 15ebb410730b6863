"""The player's cash desk and transfers, with script and without, and the staff's pages about them."""

import csv
import datetime as dt
import io

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tables.models import Bet
from tables.roulette.cloth import find_spot
from tests.house import NOON, House, bet, make_house
from wallets.csv_cells import safe_cell
from wallets.models import (
    CashRequest,
    Finding,
    FindingKind,
    LimitKind,
    LimitPeriod,
    OfferOccasion,
    Player,
    Transfer,
    Unit,
    User,
)
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_steps import approve_withdrawal
from wallets.services.findings import open_finding
from wallets.services.ledger import deposit, open_wallet
from wallets.services.limits import set_own_limit
from wallets.services.limits_offers import note_answer
from wallets.services.people import record_person

from .pages import client_of, form_of, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    maria = house.player(100_00)
    with transaction.atomic():
        note_answer(player=maria, occasion=OfferOccasion.FIRST_DEPOSIT, limits_set=0, at=NOON)
    return maria


def balance(player: Player) -> int:
    cents = open_wallet(player=player, unit=Unit.EUR).balance_cents
    assert cents is not None
    return cents


def send(client: Client, form: str, amount: str, htmx: bool = False, **more: str):
    address = {"deposit": "deposit", "withdrawal": "withdraw"}[form]
    fields = {
        **form_of(client.get(reverse("cash")).content.decode(), f"{form}-form"),
        "provider": "bank",
        "amount": amount,
    }
    return client.post(reverse(address), {**fields, **more}, headers={"HX-Request": "true"} if htmx else {})


def test_both_forms_work_without_script(maria: Player) -> None:
    client = client_of(maria)
    for form, amount in (("deposit", "25.00"), ("withdrawal", "40")):
        answer = send(client, form, amount)
        assert (answer.status_code, answer["Location"]) == (302, reverse("cash"))
    page = client.get(reverse("cash")).content.decode()
    assert "Your wallet holds 60.00" in page
    for request in CashRequest.objects.all():
        assert request.reference in page
    assert "We are waiting for your money to arrive." in page
    assert "It cannot be cancelled any more." in page
    assert "style=" not in page


def test_with_script_the_part_is_swapped_and_the_head_with_it(maria: Player) -> None:
    page = send(client_of(maria), "withdrawal", "40", htmx=True).content.decode()
    assert page.count('id="cash"') == 1
    assert "<html" not in page
    assert 'id="head-EUR" hx-swap-oob="true"' in page
    assert "60.00" in page


@pytest.mark.parametrize("htmx", [False, True])
@pytest.mark.parametrize(
    ("amount", "said"),
    [("", "Write the amount"), ("-5", "Write the amount"), ("12,50", "Write the amount"), ("1e3", "Write the amount"),
     ("100.01", "does not cover"), ("0", "no amount that can be moved"), ("9" * 15, "no amount that can be moved"),
     ("<b>1", "&lt;b&gt;1")],
)  # fmt: skip
def test_a_refusal_is_said_beside_what_was_typed_and_moves_nothing(
    maria: Player, amount: str, said: str, htmx: bool
) -> None:
    answer = send(client_of(maria), "withdrawal", amount, htmx)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert said in page
    assert "<b>1" not in page
    assert 'id="withdrawal-refusal"' in page
    assert 'id="deposit-refusal"' not in page
    assert (balance(maria), CashRequest.objects.count()) == (100_00, 0)


def test_a_form_sent_five_times_asks_once_and_one_without_a_key_never(maria: Player) -> None:
    client = client_of(maria)
    fields = {**form_of(client.get(reverse("cash")).content.decode(), "withdrawal-form"), "provider": "bank"}
    for _ in range(5):
        assert client.post(reverse("withdraw"), {**fields, "amount": "40"}).status_code == 302
    assert (balance(maria), CashRequest.objects.count()) == (60_00, 1)
    assert "used for another request" in client.post(reverse("withdraw"), {**fields, "amount": "41"}).content.decode()
    assert (
        "load the page again" in client.post(reverse("withdraw"), {"amount": "1", "provider": "bank"}).content.decode()
    )
    assert "no such way to pay" in send(client, "withdrawal", "1", provider="x\0y").content.decode()
    assert balance(maria) == 60_00


@pytest.mark.parametrize("language", ["pt", "fr"])
def test_amounts_are_typed_and_shown_in_the_players_language(maria: Player, language: str) -> None:
    record_person(user=maria.user, birth_date=dt.date(1990, 1, 2), country="PT", language=language, at=NOON)
    client = client_of(maria)
    answer = client.post(reverse("withdraw"), {"key": "0000-0001-test", "provider": "bank", "amount": "12,50"})
    assert answer.status_code == 302
    assert balance(maria) == 87_50
    page = client.get(reverse("cash")).content.decode()
    assert "87,50" in page
    assert "87.50" not in page
    # Who asks next, in the same thread, chose nothing.
    assert "87.50" not in (text := Client().get(reverse("login")).content.decode())
    assert "87,50" not in text


def test_limits_and_stakes_are_typed_as_the_player_writes_them(house: House) -> None:
    maria = house.seated()
    record_person(user=maria.seat.player.user, birth_date=dt.date(1990, 1, 2), country="PT", language="pt", at=NOON)
    client = client_of(maria.seat.player)
    fields = {"kind": "loss", "period": "day", "value": "12,50"}
    assert client.post(reverse("limits"), fields).status_code == 302
    assert 'value="12,50"' in client.get(reverse("limits")).content.decode()
    play = reverse("play", args=[house.table.slug])
    assert 'value="0,50"' in client.get(play).content.decode()
    for n, stake in enumerate(("1,50", "1.50")):
        fields = {"spot": str(find_spot("red", []).index), "stake": stake, "key": f"0000-{n}-test"}
        assert client.post(reverse("bets", args=[house.table.slug]), fields).status_code == 302
    assert list(Bet.objects.values_list("stake_cents", flat=True)) == [150, 150]


def test_refusals_and_chips_write_amounts_as_the_player_does(house: House) -> None:
    maria = house.seated(20_00)
    player = maria.seat.player
    with transaction.atomic():
        note_answer(player=player, occasion=OfferOccasion.FIRST_DEPOSIT, limits_set=0, at=NOON)
    record_person(user=player.user, birth_date=dt.date(1990, 1, 2), country="PT", language="pt", at=NOON)
    set_own_limit(player=player, kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, value=30_00, at=timezone.now())
    client = client_of(player)
    assert "The deposit limit leaves 30,00 for today." in send(client, "deposit", "31").content.decode()
    for n, (spot, stake, said) in enumerate(
        (
            (find_spot("straight", [17]), "16", "At most 15,00 may stand on this spot in a round."),
            (find_spot("red", []), "21", "Your balance of 20,00 does not cover the bets."),
            (find_spot("red", []), "0,1", "The minimum is 0,50."),
            (find_spot("red", []), "0,55", "Stakes move in steps of 0,10."),
            (find_spot("red", []), "1.005", "1.005 can be read in two ways: write the stake with its cents."),
            (find_spot("red", []), "1e3", "Write the amount in digits, and cents like this: 12,50."),
        )
    ):
        fields = {"spot": str(spot.index), "stake": stake, "key": f"0000-{n:04d}-test"}
        page = client.post(reverse("bets", args=[house.table.slug]), fields).content.decode()
        assert said in page
        assert 'data-text="0,50"' in page
        assert 'data-text="0.50"' not in page
    assert not Bet.objects.exists()


def test_nobody_sees_anothers_requests_and_transfers(house: House, maria: Player) -> None:
    request = start_deposit(
        player=maria, amount_cents=12_34, provider="bank", key="k-1", actor="system", at=NOON
    ).request
    joao = client_of(house.player(0))
    for address in (reverse("cash"), reverse("transfers"), f"{reverse('transfers')}?format=csv"):
        answer = joao.get(address)
        text = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert request.reference.encode() + b"<" not in text
        assert b"12.34" not in text
        assert b"100.00" not in text


# Transfers.


def table_of(client: Client, query: str) -> list[list[str]]:
    answer = client.get(f"{reverse('transfers')}?{query}&format=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_transfers_are_filtered_paged_and_sent_as_a_file(house: House) -> None:
    seated = house.seated()
    seated.place(bet("red", stake="2.00"))
    player = seated.game_session.player
    client, wallet = client_of(player), seated.wallet
    for cents in range(1, 121):
        deposit(wallet=wallet, amount_cents=cents, actor="system", at=house.forward())
    pages, address = [], reverse("transfers")
    while address:
        page = client.get(address).content.decode()
        pages.append(page.count("<tr>") - 1)
        older = page.split(">Older<")[0].rsplit('href="', 1)[1].split('"')[0] if ">Older<" in page else ""
        address = older.replace("&amp;", "&")
    assert pages == [50, 50, 22]
    rows = table_of(client, "")
    assert rows[0] == ["transfer", "at", "reason", "in", "out", "unit", "round", "corrects"]
    assert len(rows) == 123
    assert [row[3:6] for row in rows if row[2] == "stake"] == [["", "2.00", "EUR"]]
    assert len(table_of(client, "reason=stake")) == 2
    assert len(table_of(client, "reason=deposit&from=2026-06-15&to=2026-06-15")) == 122
    assert len(table_of(client, "to=2026-06-14")) == len(table_of(client, "from=2026-06-16")) == 1
    assert len(table_of(client, "unit=DEMO")) == 123
    part = client.get(f"{reverse('transfers')}?reason=stake", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "\u22122.00" in part


@pytest.mark.parametrize(
    "query",
    ["reason=gift", "from=yesterday", "to=2026-02-30", "from=2026-06-16&to=2026-06-15", "to=9999-12-31", "from=0001-01-01",
     "before=x", "before=99999999999999999999", "unit=x", "reason=%3Cb%3E"],
)  # fmt: skip
def test_a_filter_that_cannot_be_read_is_said_and_breaks_nothing(maria: Player, query: str) -> None:
    client = client_of(maria)
    for suffix in ("", "&format=csv"):
        answer = client.get(f"{reverse('transfers')}?{query}{suffix}")
        assert answer.status_code == 200
        if not answer.streaming:
            assert b"<b>" not in answer.content.replace(b'<b id="head-EUR">', b"")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


# Staff.


def finance(group: str = "Finance", name: str = "finance") -> Client:
    user = User.objects.create_user(f"{name}@test.example", full_name=name, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return staff_client(user)


def waiting(maria: Player) -> CashRequest:
    return request_withdrawal(
        player=maria, amount_cents=40_00, provider="bank", key="k-1", actor="system", at=NOON
    ).request


def test_finance_takes_a_withdrawal_to_its_end(maria: Player) -> None:
    request, client = waiting(maria), finance()
    page = reverse("staff-cash-request", args=[request.pk])
    # By its link: the letters of a reference may stand in a form's token.
    assert f'href="{page}"' in client.get(f"{reverse('staff-cash')}?state=requested").content.decode()
    assert f'href="{page}"' not in client.get(f"{reverse('staff-cash')}?state=paid").content.decode()
    for act, more, state in (
        ("hold", {"reason": ""}, "requested"),
        ("hold", {"reason": "A look at it."}, "held"),
        ("confirm", {"reference": "B-1"}, "held"),
        ("approve", {}, "approved"),
    ):
        client.post(page, {"act": act, **more})
        request.refresh_from_db()
        assert request.state == state
    CashRequest.objects.filter(pk=request.pk).update(state="sent")
    assert "cannot be a notice" in client.post(page, {"act": "confirm", "reference": ""}).content.decode()
    assert client.post(page, {"act": "confirm", "reference": "B-1"}).status_code == 302
    request.refresh_from_db()
    assert request.state == "paid"
    assert client.post(page, {"act": "cancel"}).status_code == 400
    assert "A look at it." in client.get(page).content.decode()
    assert 'name="act"' not in client.get(page).content.decode()


def test_a_withdrawal_that_was_refused_goes_back(maria: Player) -> None:
    request, client = waiting(maria), finance()
    approve_withdrawal(request_id=request.pk, actor="staff:900001", at=NOON)
    CashRequest.objects.filter(pk=request.pk).update(state="sent")
    page = reverse("staff-cash-request", args=[request.pk])
    assert "Give the reason" in client.post(page, {"act": "fail", "reason": " "}).content.decode()
    assert client.post(page, {"act": "fail", "reason": "No such account."}).status_code == 302
    assert balance(maria) == 100_00


def test_staff_are_told_when_what_they_said_did_nothing(maria: Player) -> None:
    first, second = (
        start_deposit(player=maria, amount_cents=25_00, provider="bank", key=f"k-{n}", actor="system", at=NOON).request
        for n in (1, 2)
    )
    client = finance()

    def said(request: CashRequest) -> str:
        page = reverse("staff-cash-request", args=[request.pk])
        return client.post(page, {"act": "confirm", "reference": "B-1"}, follow=True).content.decode()

    assert f"{first}: done." in said(first)
    # The number of another payment: it is his word on that one, and moves nothing.
    text = said(second)
    assert "nothing was done: this number was told of before" in text
    assert "done." not in text.replace("was done:", "")
    second.refresh_from_db()
    assert (second.state, balance(maria)) == ("started", 125_00)


def test_a_finding_is_taken_and_resolved_on_the_workbench(maria: Player) -> None:
    finding = open_finding(
        kind=FindingKind.BALANCE, subject="a", detail="Seven cents.", actor="system", at=NOON, amount_cents=7
    )
    assert finding is not None
    filipa, goncalo = finance(name="filipa"), finance(name="goncalo")
    page = reverse("staff-finding", args=[finding.pk])
    assert "Take the finding first" in filipa.post(page, {"act": "resolve", "text": "x"}).content.decode()
    assert filipa.post(page, {"act": "take"}).status_code == 302
    assert "filipa" in goncalo.get(reverse("staff-findings")).content.decode()
    assert "Take the finding first" in goncalo.post(page, {"act": "resolve", "text": "x"}).content.decode()
    assert filipa.post(page, {"act": "resolve", "text": "A slip."}).status_code == 302
    assert filipa.post(page, {"act": "forget"}).status_code == 400
    assert "Seven cents." not in filipa.get(reverse("staff-findings")).content.decode()
    assert "A slip." in filipa.get(f"{reverse('staff-findings')}?resolved=1").content.decode()
    assert "is resolved already" in filipa.post(page, {"act": "take"}).content.decode()


def test_every_staff_page_asks_who_is_there_and_what_he_may(maria: Player) -> None:
    request = waiting(maria)
    open_finding(kind=FindingKind.BALANCE, subject="a", detail="x", actor="system", at=NOON)
    finding = Finding.objects.get()
    pages = {
        reverse("staff-cash"): {},
        reverse("staff-cash-request", args=[request.pk]): {"act": "approve"},
        reverse("staff-findings"): {},
        reverse("staff-finding", args=[finding.pk]): {"act": "take"},
    }
    nobody, player = Client(), client_of(maria)
    looks, none = finance("Auditor", "auditor"), finance("Floor manager", "floor")
    before = (Transfer.objects.count(), request.steps.count(), finding.steps.count())
    for page, act in pages.items():
        for client in (nobody, player):
            answer = client.get(page)
            assert (answer.status_code, reverse("admin:login") in answer["Location"]) == (302, True)
            assert client.post(page, act).status_code == 302
        assert (looks.get(page).status_code, looks.post(page, act).status_code) == (200, 403)
        assert b'name="act"' not in looks.get(page).content
        assert (none.get(page).status_code, none.post(page, act).status_code) == (403, 403)
        assert looks.put(page).status_code in (403, 405)
    request.refresh_from_db()
    assert (Transfer.objects.count(), request.steps.count(), finding.steps.count()) == before
    assert request.state == "requested"
    client = finance()
    for name in ("staff-cash-request", "staff-finding"):
        assert client.get(reverse(name, args=[10**30])).status_code == 404
