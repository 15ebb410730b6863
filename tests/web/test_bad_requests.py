"""What nobody's browser sends: refused in words, by a page or a problem, never by a fault of ours; nothing moves."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from roulette_site.common.models import FourEyesRequest
from sessions_app.models import GameSession
from tables.models import Slip
from tests.house import NOON, PlayerAtTable, bet, make_house
from wallets.models import CashKind, NoticeOutcome, Transfer, User
from wallets.services.cash_requests import start_deposit
from wallets.services.notices import Told, take_notice

from .pages import client_of, htmx, key, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated()


@pytest.fixture
def client(maria: PlayerAtTable) -> Client:
    return client_of(maria.game_session.player)


@pytest.mark.parametrize(
    "address",
    ["/%00", "/play/%00/", "/rules/?%00=1", "/events?table=%00", "/account/sessions/?before=%00", "/login/?next=%00"],
)
def test_an_address_with_a_nul_is_no_address(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert "This cannot be read" in answer.content.decode()


def test_under_the_api_it_is_a_problem(client: Client) -> None:
    answer = client.get("/api/v1/rulebooks/%00")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["code"] == "bad_request"


def test_the_back_office_finds_nothing_under_impossible_names(maria: PlayerAtTable) -> None:
    staff = staff_client(User.objects.create_superuser("boss@test.example", "x"))
    for model in ("slip", "slipwithdrawal", "rounddraw", "roundtotals", "gameround", "bet", "table"):
        for pk in ("9" * 30, str(2**63), "-1", "x"):
            for page in ("change", "history"):
                assert staff.get(f"/backoffice/tables/{model}/{pk}/{page}/").status_code in (302, 404), (model, pk)
    for query in ("tables/gameround/?state__exact=%00", "wallets/apikey/%00/change/"):
        assert staff.get(f"/backoffice/{query}").status_code == 400


@pytest.mark.parametrize("text", ["\0x", "maria\0"])
def test_no_text_of_a_form_of_the_staff_breaks_a_query(maria: PlayerAtTable, text: str) -> None:
    """PostgreSQL takes no NUL: what cannot be looked for is refused before it is."""
    player = maria.game_session.player
    told = Told("bank", "B-1", "", CashKind.DEPOSIT, NoticeOutcome.PAID, 50_00, "EUR")
    suspended = take_notice(told=told, actor="provider:bank", at=NOON).notice.suspended
    deposit = start_deposit(player=player, amount_cents=100, provider="bank", key="k", actor="system", at=NOON).request
    root = User.objects.create_superuser("boss@test.example", "x")
    staff, colleague = staff_client(root), User.objects.create_user("ana@test.example", is_staff=True)
    typed = (
        "to", "reason", "evidence", "reference", "search", "document_number", "email", "number", "country", "role",
        "amount", "kind", "period", "state", "cause", "direction", "term", "seen", "transfer", "exclusion", "starts_at",
        "ends_at", "expires_on", "consent", "document_type", "full_name", "birth_date",
    )  # fmt: skip
    fields = dict.fromkeys(typed, text)
    players = ("kyc", "suspend", "limit", "exclude", "ask-adjustment", "ask-correction", "ask-loosening")
    for page, acts in (
        (reverse("staff-suspended", args=[suspended.pk]), ("assign", "send-back")),
        (reverse("staff-cash-request", args=[deposit.pk]), ("confirm", "fail", "hold")),
        (reverse("staff-restricted"), ("search", "enter")),
        (reverse("staff-papers", args=[player.pk]), ("record", "correct", "verify", "refuse")),
        (reverse("staff-player", args=[player.pk]), players),
        (reverse("staff-receivable", args=[player.pk]), ("take",)),
        (reverse("staff-ask-for-role", args=[colleague.pk]), ("",)),
        (reverse("staff-act-on-person", args=[colleague.pk, "unlock"]), ("",)),
    ):
        for act in acts:
            answer = staff.post(page, fields | {"act": act})
            assert answer.status_code in (200, 409, 422), (page, act, answer.status_code)
    assert not FourEyesRequest.objects.exists()


def test_a_form_in_another_encoding_is_refused(client: Client, maria: PlayerAtTable) -> None:
    body = "spot=17&stake=1.00"
    kind = "application/x-www-form-urlencoded; charset=utf-16"
    answer = client.post(reverse("bets", args=[maria.house.table.slug]), body, content_type=kind)
    assert answer.status_code == 400
    assert not Slip.objects.exists()


@pytest.mark.parametrize("text", ["a\0b", "a\nb", "a\r\nb", "a\tb", "x" * 65, "\u202ex", "\ufffd", "\x7f"])
def test_a_text_that_nobody_could_type_again_is_no_seed(client: Client, maria: PlayerAtTable, text: str) -> None:
    answer = htmx(client, "client-seed", maria, client_seed=text)
    assert "64 characters at most, all of them printable" in answer.content.decode()
    assert maria.game_round.client_seed == ""


@pytest.mark.parametrize("text", ["", "x" * 64, "Olá, 17 'e' \"meio\" \\ 🎲"])
def test_any_text_that_can_be_typed_is_a_seed(client: Client, maria: PlayerAtTable, text: str) -> None:
    assert htmx(client, "client-seed", maria, client_seed=text).status_code == 200
    assert maria.game_round.client_seed == text


@pytest.mark.parametrize(
    ("bets", "said"),
    [
        ('[{"on":[17],"stake":"1.00","stake":"5.00"}]', "a name is given twice"),
        ("[", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        (f"[{'1' * 5000}]", "cannot be read"),
        ("null", "they are no list"),
        ("{}", "they are no list"),
        ("[NaN]", "NaN is not JSON"),
        ("[]", "There is no bet on the slip."),
    ],
)
def test_a_slip_is_read_as_strictly_as_in_the_api(client: Client, maria: PlayerAtTable, bets: str, said: str) -> None:
    before = Transfer.objects.count()
    assert said in htmx(client, "bets", maria, bets=bets, **key()).content.decode()
    assert Transfer.objects.count() == before


def test_a_page_that_is_older_than_the_end_of_its_session_leads_to_the_table(
    client: Client, maria: PlayerAtTable
) -> None:
    slug = [maria.house.table.slug]
    maria.place(bet("red"))
    ended = client.post(reverse("leave", args=slug))
    statement = reverse("statement", args=[maria.game_session.pk])
    assert ended["Location"] == statement
    assert client.post(reverse("leave", args=slug))["Location"] == statement
    before = Transfer.objects.count()
    for name in ("bets", "launch", "undo", "clear", "client-seed"):
        answer: Any = client.post(reverse(name, args=slug), {"spot": "17", "stake": "1.00", **key()})
        assert answer["Location"] == reverse("play", args=slug), name
    assert client.get(reverse("state", args=slug))["Location"] == reverse("play", args=slug)
    assert client.get(reverse("last-play", args=slug))["Location"] == reverse("account")
    assert Transfer.objects.count() == before
    assert GameSession.objects.count() == 1


def test_without_script_the_page_moves_on_by_itself_while_a_ball_runs(client: Client, maria: PlayerAtTable) -> None:
    address = reverse("play", args=[maria.house.table.slug])
    refresh = f'http-equiv="refresh" content="2;url={address}"'
    assert refresh not in client.get(address).content.decode()
    maria.place(bet("red"))
    maria.launch()
    assert refresh in client.get(address).content.decode()
