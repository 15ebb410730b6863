"""What other systems got wrong in their pages (shared cases, kind "web"): tokens, repeats, reads that write, dead cookies."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from tables.models import RoundState, Slip
from tests.house import PlayerAtTable, bet, make_house
from wallets.models import Transfer

from .pages import client_of, htmx, key, token_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated()


def strict_client(player: PlayerAtTable) -> Client:
    """A browser towards which the site insists on the token, as it does outside tests."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(player.game_session.player.user)
    return client


def address(name: str, player: PlayerAtTable) -> str:
    return reverse(name, args=[player.house.table.slug])


def test_web_010_without_a_token_nothing_is_placed_and_the_page_says_so(maria: PlayerAtTable) -> None:
    answer = strict_client(maria).post(address("bets", maria), {"spot": "17", "stake": "1.00", **key()})
    assert answer.status_code == 403
    assert "The page was too old" in answer.content.decode()
    assert maria.balance_cents == 100_00


@pytest.mark.parametrize("where", ["header", "field"])
def test_web_011_a_token_in_header_or_field_places_the_bet(maria: PlayerAtTable, where: str) -> None:
    client = strict_client(maria)
    token = token_in(client.get(address("play", maria)).content.decode())
    fields: dict[str, str] = {"spot": "17", "stake": "1.00", **key()}
    headers: dict[str, str] = {"HX-Request": "true"}
    if where == "header":
        headers["X-CSRFToken"] = token
    else:
        fields["csrfmiddlewaretoken"] = token
    assert client.post(address("bets", maria), fields, headers=headers).status_code == 200
    assert maria.balance_cents == 99_00


def test_web_013_logging_in_gives_a_token_that_holds(maria: PlayerAtTable) -> None:
    user = maria.game_session.player.user
    user.set_password("a long enough password")
    user.save()
    client = Client(enforce_csrf_checks=True)
    old = token_in(client.get(reverse("login")).content.decode())
    form = {"username": user.email, "password": "a long enough password", "csrfmiddlewaretoken": old}
    assert client.post(reverse("login"), form).status_code == 302
    token = token_in(client.get(address("play", maria)).content.decode())
    fields = {"spot": "17", "stake": "1.00", "csrfmiddlewaretoken": token, **key()}
    assert client.post(address("bets", maria), fields).status_code == 302
    assert maria.balance_cents == 99_00


@pytest.mark.django_db(transaction=True)
def test_web_015_and_025_five_clicks_on_one_form_place_one_bet() -> None:
    maria = make_house().seated()
    one_key = key()
    answers: list[int] = []
    # One browser: a login in another would end this one.
    browser = client_of(maria.game_session.player)

    def click() -> None:
        client = Client()
        client.cookies = browser.cookies
        answers.append(htmx(client, "bets", maria, spot="17", stake="2.00", **one_key).status_code)
        connection.close()

    clicks = [threading.Thread(target=click) for _ in range(5)]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join()
    assert answers == [200] * 5
    assert Slip.objects.count() == 1
    assert maria.balance_cents == 98_00


def test_web_017_looking_writes_nothing(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    maria.place(bet("red"))
    before = Transfer.objects.count()
    for _ in range(50):
        assert client.get(address("state", maria)).status_code == 200
    assert Transfer.objects.count() == before


def test_web_022_after_logging_out_the_old_cookie_is_dead(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    cookie = client.cookies["sessionid"].value
    client.post(reverse("logout"))
    other = Client()
    other.cookies["sessionid"] = cookie
    assert other.get(address("play", maria)).status_code == 302


@pytest.mark.parametrize("act", ["settle", "draw", "close"])
def test_web_024_players_settle_nothing(maria: PlayerAtTable, act: str) -> None:
    client = client_of(maria.game_session.player)
    game_round = maria.play(bet("red"))
    balance = maria.balance_cents
    assert client.post(f"/play/{maria.house.table.slug}/{act}/", {"round": game_round.pk}).status_code == 404
    assert client.get("/backoffice/").status_code == 302
    game_round.refresh_from_db()
    assert game_round.state == RoundState.SETTLED
    assert maria.balance_cents == balance


def test_a_name_with_markup_stays_text(maria: PlayerAtTable) -> None:
    table = maria.house.table
    table.name = "<script>alert(1)</script>"
    table.save()
    client = client_of(maria.game_session.player)
    for name in ("lobby", "account", "sessions"):
        assert "<script>alert" not in client.get(reverse(name)).content.decode()
    assert "<script>alert" not in client.get(address("play", maria)).content.decode()


def test_pages_of_a_player_are_kept_by_no_cache(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    game_round = maria.play(bet("red"))
    pages: list[Any] = [
        address("play", maria), address("state", maria), reverse("account"), reverse("sessions"),
        reverse("statement", args=[maria.game_session.pk]), reverse("round", args=[game_round.pk]),
    ]  # fmt: skip
    for page in pages:
        assert "no-store" in client.get(page)["Cache-Control"], page
