"""Every address of the site, as nobody, as a player, as another player and as staff."""

import pytest
from django.db import DatabaseError
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from sessions_app.models import EndBasis
from sessions_app.services.game_sessions import end_game_session
from tables.services.publishing import publish_rules
from tests.house import NOON, PlayerAtTable, bet, make_house
from wallets.models import Unit, User

from .pages import client_of

pytestmark = pytest.mark.django_db

PUBLIC = {"lobby", "login", "rules", "rules-version", "verify-round", "brand-css", "healthz", "readyz"}
ACTS = {"logout", "enter", "bets", "launch", "undo", "clear", "client-seed", "leave", "go-on", "deposit", "withdraw"}
ACTS |= {"confirm-limit", "exclusion-end", "pay-back"}
PRIVATE = {"play", "state", "last-play", "account", "sessions", "statement", "round", "receipt", "cash", "transfers"}
PRIVATE |= {"limits", "limits-offer", "exclusion", "inbox", "payout-address", "closing"}
# What is read by programs, or is a piece of another page.
FILES = {"brand-css", "healthz", "readyz", "verify-round", "state", "last-play", "receipt"}
# The stream answers 401, since no browser follows a login page there; /demo/ exists in the demonstration alone.
OTHERS = {"events", "demo", "demo-mail"}


@pytest.fixture
def maria() -> PlayerAtTable:
    maria = make_house().seated()
    maria.played = maria.play(bet("red"))  # type: ignore[attr-defined]
    publish_rules(rules_id=maria.house.table.rules_id, at=NOON)
    return maria


def address(name: str, maria: PlayerAtTable) -> str:
    rules = maria.house.table.rules
    arguments = {
        "statement": [maria.game_session.pk],
        "round": [maria.played.pk],  # type: ignore[attr-defined]
        "receipt": [maria.played.pk],  # type: ignore[attr-defined]
        "confirm-limit": [1],
        "limits-offer": ["first-deposit"],
        "rules-version": [rules.rulebook_code, rules.version],
    }
    on_table = {"play", "state", "last-play", *ACTS} - {"logout", "deposit", "withdraw", "exclusion-end", "pay-back"}
    return reverse(name, args=arguments.get(name, [maria.house.table.slug] if name in on_table else []))


def test_no_address_is_forgotten_here() -> None:
    patterns = [one for one in get_resolver().url_patterns if isinstance(one, URLPattern)]
    assert {one.name for one in patterns} == PUBLIC | ACTS | PRIVATE | OTHERS


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_what_is_public_needs_no_login(maria: PlayerAtTable, name: str) -> None:
    assert Client().get(address(name, maria)).status_code == 200


@pytest.mark.parametrize("name", sorted(PUBLIC - {"login"} | PRIVATE))
def test_a_monitor_may_ask_for_the_head_alone(maria: PlayerAtTable, name: str) -> None:
    answer = client_of(maria.game_session.player).head(address(name, maria))
    assert answer.status_code in (200, 302)
    assert answer.content == b""


@pytest.mark.parametrize("name", sorted(PRIVATE))
def test_what_is_private_asks_who_is_there(maria: PlayerAtTable, name: str) -> None:
    answer = Client().get(address(name, maria))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("login"))
    assert client_of(maria.game_session.player).get(address(name, maria)).status_code in (200, 302)
    staff = Client()
    staff.force_login(User.objects.create_user("staff@test.example", is_staff=True))
    assert staff.get(address(name, maria)).status_code == 404


@pytest.mark.parametrize("name", sorted(ACTS))
def test_an_act_is_a_post(maria: PlayerAtTable, name: str) -> None:
    assert client_of(maria.game_session.player).get(address(name, maria)).status_code == 405


@pytest.mark.parametrize("name", sorted(PUBLIC - FILES | PRIVATE - FILES))
def test_every_player_page_names_operator_licence_help_and_age(maria: PlayerAtTable, name: str) -> None:
    client = Client() if name == "login" else client_of(maria.game_session.player)
    text = client.get(address(name, maria)).content.decode()
    for said in ("18+", "Test House, S.A.", "Licence TEST", "help@test.example", "complaints@test.example", "/rules/"):
        assert said in text
    assert "style=" not in text
    assert "Demonstration: no real money" not in text


def test_a_page_before_the_house_is_set_up_still_answers(db: None) -> None:
    for name in ("lobby", "login", "rules"):
        assert Client().get(reverse(name)).status_code == 200


def test_a_table_that_plays_for_points_says_so() -> None:
    points = make_house(unit=Unit.DEMO)
    client = client_of(points.player())
    page = client.get(reverse("play", args=[points.table.slug])).content.decode()
    assert "points that are not money" in page
    assert "pts" in page


def test_the_lobby_leads_back_to_where_the_player_sits(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    assert "you sit here" in client.get(reverse("lobby")).content.decode()
    end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=maria.house.forward())
    assert "you sit here" not in client.get(reverse("lobby")).content.decode()
    maria.house.table.state = "suspended"
    maria.house.table.save()
    page = client.get(reverse("lobby")).content.decode()
    assert "suspended" in page
    assert reverse("play", args=[maria.house.table.slug]) not in page


def test_call_bets_are_drawn_only_where_they_are_taken() -> None:
    with_calls, without = make_house().seated(), make_house(call_bets=[], split_dozens_offered=False).seated()
    texts = [
        client_of(one.game_session.player).get(reverse("play", args=[one.house.table.slug])).content.decode()
        for one in (with_calls, without)
    ]
    assert ["data-call=" in text for text in texts] == [True, False]
    assert ["series-form" in text for text in texts] == [True, False]
    assert [text.count('data-spot="') for text in texts] == [2 * 161, 2 * 159]


def test_errors_have_pages_in_the_look(maria: PlayerAtTable, settings) -> None:
    missing = Client().get("/nowhere/")
    assert missing.status_code == 404
    assert "There is no such page" in missing.content.decode()
    assert "Test House, S.A." in missing.content.decode()
    foreign = client_of(maria.game_session.player).get(reverse("statement", args=[10**9]))
    unknown = client_of(maria.house.player()).get(reverse("statement", args=[maria.game_session.pk]))
    # Whether an object is another's or does not exist cannot be told from the answer.
    without_balance = [
        answer.content.decode().replace("99.00", "").replace("100.00", "") for answer in (foreign, unknown)
    ]
    assert foreign.status_code == unknown.status_code == 404
    assert "There is no such page" in without_balance[0]
    assert "There is no such page" in without_balance[1]


def test_what_breaks_says_that_money_is_safe(maria: PlayerAtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("a test")

    monkeypatch.setattr("sessions_app.web.lobby.lobby_tables", broken)
    client = Client(raise_request_exception=False)
    answer = client.get(reverse("lobby"))
    assert answer.status_code == 500
    text = answer.content.decode()
    for said in ("no money is lost", "18+", "Test House, S.A.", "help@test.example", "complaints@test.example"):
        assert said in text


def test_what_breaks_with_the_database_says_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **more: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr("roulette_site.common.models.Operator.objects.first", broken)
    answer = Client(raise_request_exception=False).get(reverse("lobby"))
    assert answer.status_code == 500
    assert "no money is lost" in answer.content.decode()
    assert "18+" in answer.content.decode()
