"""Each page: for whom it is, what it says, and that another player's is not there."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sessions_app.models import GameSession
from tables.models import Bet, RoundState, Slip, Table, TableState
from tables.services.advance import advance_round, open_individual_round, sweep
from tables.services.publishing import RulesNotApproved, publish_rules
from tables.services.rounds import draw_round
from tests.house import DRAW_KEY, NOON, House, PlayerAtTable, bet, make_house
from wallets.models import User

from .pages import client_of, form_of, htmx, key

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.mark.article("pt:p2", "pt:p4")
def test_rules_are_published_for_everyone_and_for_ever(house: House) -> None:
    rules = house.table.rules
    page = publish_rules(rules_id=rules.pk, at=NOON)
    address = reverse("rules-version", args=[rules.rulebook_code, rules.version])
    answer = Client().get(address)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert page.sha256 in text
    for said in ("35 to 1", "540 × minimum", "97.297", "Void rounds", "complaints@test.example", "TEST-1", "36/37"):
        assert said in text
    assert address in Client().get(reverse("rules")).content.decode()
    assert publish_rules(rules_id=rules.pk, at=NOON).pk == page.pk
    assert Client().get(reverse("rules-version", args=[rules.rulebook_code, 99])).status_code == 404


@pytest.mark.article("pt:p3")
def test_rules_that_are_not_approved_are_not_published(house: House) -> None:
    draft = house.table.rules
    draft.pk, draft.version, draft.status = None, 2, "draft"
    draft.save()
    with pytest.raises(RulesNotApproved):
        publish_rules(rules_id=draft.pk, at=NOON)


@pytest.mark.parametrize("name", ["lobby", "rules", "login"])
def test_every_player_page_says_who_runs_it_and_that_it_is_for_adults(house: House, name: str) -> None:
    text = Client().get(reverse(name)).content.decode()
    for said in ("18+", "Test House, S.A.", "TEST", "help@test.example", "complaints@test.example"):
        assert said in text


PRIVATE = [
    ("get", "play"), ("get", "state"), ("get", "last-play"), ("post", "enter"), ("post", "bets"), ("post", "launch"), ("post", "undo"),
    ("post", "clear"), ("post", "client-seed"), ("post", "leave"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "name"), PRIVATE)
def test_nobody_plays_without_logging_in(house: House, method: str, name: str) -> None:
    answer = getattr(Client(), method)(reverse(name, args=[house.table.slug]))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("name", ["bets", "launch", "undo", "clear", "client-seed", "leave", "enter"])
def test_an_act_is_never_a_get(house: House, name: str) -> None:
    player = house.seated()
    assert client_of(player.game_session.player).get(reverse(name, args=[house.table.slug])).status_code == 405


def test_web_001_to_004_another_players_objects_are_not_there(house: House) -> None:
    maria, joao = house.seated(), house.seated()
    game_round = maria.play(bet("red"))
    hers, his = client_of(maria.game_session.player), client_of(joao.game_session.player)
    for name, pk in (("statement", maria.game_session.pk), ("round", game_round.pk)):
        assert hers.get(reverse(name, args=[pk])).status_code == 200
        assert his.get(reverse(name, args=[pk])).status_code == 404
        assert his.get(reverse(name, args=[10**9])).status_code == 404


def test_staff_have_no_game_of_their_own(house: House) -> None:
    client = Client()
    client.force_login(User.objects.create_user("staff@test.example", is_staff=True))
    assert client.get(reverse("account")).status_code == 404
    assert client.get(reverse("play", args=[house.table.slug])).status_code == 404


@pytest.mark.article("pt:17", "pt:27", "pt:28", "pt:29", "pt:6d", "pt:6e", "pt:9")
def test_a_round_is_played_without_script(house: House) -> None:
    player = house.player()
    client = client_of(player)
    slug = [house.table.slug]
    assert "Enter the table" in client.get(reverse("play", args=slug)).content.decode()
    client.post(reverse("enter", args=slug))
    assert "being prepared" in client.get(reverse("play", args=slug)).content.decode()
    seat = GameSession.objects.get().seat
    open_individual_round(seat_id=seat.pk, key=DRAW_KEY, at=house.forward())
    page = client.get(reverse("play", args=slug)).content.decode()
    assert "Place your bets" in page
    assert page.count('data-spot="') == 2 * 161
    answer = client.post(reverse("bets", args=slug), {"spot": "17", "stake": "2.00", **key()})
    assert answer.status_code == 302
    client.post(reverse("bets", args=slug), {"call": "tiers", "unit": "0.50", **key()})
    client.post(
        reverse("bets", args=slug), {"call": "neighbours", "number": "0", "neighbours": "4", "unit": "0.50", **key()}
    )
    page = client.get(reverse("play", args=slug)).content.decode()
    client.post(reverse("undo", args=slug), form_of(page, "undo-form"))
    assert sum(b.stake_cents for b in Bet.objects.filter(slip__withdrawal__isnull=True)) == 500
    client.post(reverse("launch", args=slug), form_of(page, "launch-form"))
    assert "No more bets" in client.get(reverse("play", args=slug)).content.decode()
    game_round = seat.rounds.get()
    advance_round(game_round_id=game_round.pk, key=DRAW_KEY, now=house.forward)
    game_round.refresh_from_db()
    pip = f'<span class="pip {_colour(game_round.winning_number)}">{game_round.winning_number}'
    assert pip in client.get(reverse("play", args=slug)).content.decode()
    left = client.post(reverse("leave", args=slug), follow=True)
    statement = left.content.decode()
    assert "Amounts bet" in statement
    assert "5.00\u00a0€" in statement
    sweep(key=DRAW_KEY, now=house.forward)
    look_back = client.get(reverse("round", args=[game_round.pk])).content.decode()
    assert game_round.bets_digest is not None
    assert game_round.bets_digest in look_back
    assert game_round.draw.seed_hex in look_back


def _colour(number: int | None) -> str:
    reds = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
    return "none" if number == 0 else "red" if number in reds else "black"


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    return house.seated()


def test_a_refusal_names_every_breach_and_nothing_stands(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    bets = '[{"type": "red", "stake": "0.05"}, {"type": "straight", "on": [17], "stake": "16.00"}]'
    text = htmx(client, "bets", maria, bets=bets, **key()).content.decode()
    assert "The minimum is 0.50." in text
    assert "Stakes move in steps of 0.10." in text
    assert "At most 15.00 may stand on this spot in a round." in text
    assert not Slip.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"spot": "161", "stake": "1.00"}, {"spot": "-1", "stake": "1.00"}, {"spot": "x", "stake": "1.00"}, {},
        {"spot": "\u0661", "stake": "1.00"}, {"spot": "17"}, {"spot": "17", "stake": "1e3"}, {"bets": "no json"},
        {"bets": "{}"}, {"bets": "[" * 5000}, {"bets": "[]"}, {"call": "x", "unit": "1.00"}, {"call": "voisins"},
        {"call": "neighbours", "unit": "1.00", "number": "99999", "neighbours": "4"},
    ],
)  # fmt: skip
def test_a_form_that_makes_no_sense_is_refused_in_words(maria: PlayerAtTable, fields: dict[str, str]) -> None:
    answer = htmx(client_of(maria.game_session.player), "bets", maria, **fields, **key())
    assert answer.status_code == 200
    assert 'class="refusal"' in answer.content.decode()
    assert not Slip.objects.exists()


@pytest.mark.parametrize("bad", ["", "short", "x" * 65, "with space", "é" * 10])
def test_a_form_without_a_key_is_refused(maria: PlayerAtTable, bad: str) -> None:
    answer = htmx(client_of(maria.game_session.player), "bets", maria, spot="17", stake="1.00", key=bad)
    assert "carried no key" in answer.content.decode()
    assert not Slip.objects.exists()


def test_the_same_form_sent_twice_places_one_slip(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    for _ in range(2):
        htmx(client, "bets", maria, spot="17", stake="1.00", key="one-and-the-same")
    assert Slip.objects.count() == 1


def test_without_script_a_refusal_is_a_page(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    answer = client.post(reverse("launch", args=[maria.house.table.slug]), {"round": maria.game_round.pk})
    assert answer.status_code == 409
    assert "Place a bet before you launch the ball." in answer.content.decode()


def test_a_bet_after_the_launch_is_refused(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    maria.launch()
    answer = htmx(client_of(maria.game_session.player), "bets", maria, spot="17", stake="1.00", **key())
    assert "No more bets: this round is closed." in answer.content.decode()
    assert maria.game_round.state == RoundState.CLOSED


def test_the_own_text_is_kept_until_the_first_bet(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    htmx(client, "client-seed", maria, client_seed="<b>luck</b>")
    assert maria.game_round.client_seed == "<b>luck</b>"
    assert "&lt;b&gt;luck" in client.get(reverse("state", args=[maria.house.table.slug])).content.decode()
    maria.place(bet("red"))
    assert "until your first bet" in htmx(client, "client-seed", maria, client_seed="x").content.decode()


def test_a_launch_sent_again_never_launches_the_next_round(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    maria.place(bet("red"))
    first = maria.game_round
    htmx(client, "launch", maria, round=str(first.pk))
    sweep(key=DRAW_KEY, now=maria.house.forward)
    maria.place(bet("red"))
    answer = htmx(client, "launch", maria, round=str(first.pk))
    # What was asked for has happened, so nothing is refused; and nothing else happens.
    assert "refusal" not in answer.content.decode()
    assert maria.game_round.number == first.number + 1
    assert maria.game_round.state == RoundState.BETTING


@pytest.mark.article("pt:18", "pt:19")
def test_a_number_that_is_not_paid_yet_is_shown_without_money(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    maria.place(bet("red"), bet("black"))
    launched = maria.launch()
    draw_round(game_round_id=launched.pk, key=DRAW_KEY, at=maria.house.forward())
    page = client.get(reverse("state", args=[maria.house.table.slug])).content.decode()
    assert 'data-phase="drawn"' in page
    assert "being paid" in page
    assert "returned <b" not in page
    assert page.count('class="dolly"') == 2
    sweep(key=DRAW_KEY, now=maria.house.forward)
    page = client.get(reverse("state", args=[maria.house.table.slug])).content.decode()
    launched.refresh_from_db()
    assert 'data-phase="betting"' in page
    assert "being paid" not in page
    # The winning chips stand until the next bet, with what they brought.
    assert page.count('class="paid"') == (2 if launched.winning_number else 0)
    maria.place(bet("odd"))
    assert 'class="paid"' not in client.get(reverse("state", args=[maria.house.table.slug])).content.decode()


def test_an_undo_sent_again_takes_back_no_other_slip(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    # Taken back by the database's clock, so placed by it too.
    maria.house.now = timezone.now()
    maria.place(bet("red"))
    last = maria.place(bet("odd"))
    for _ in range(2):
        htmx(client, "undo", maria, slip=str(last.slip_id))
    assert [slip.pk for slip in Slip.objects.filter(withdrawal__isnull=False)] == [last.slip_id]


def test_nobody_launches_or_takes_back_for_another(maria: PlayerAtTable) -> None:
    slip = maria.place(bet("red"))
    joao = maria.house.seated()
    his = client_of(joao.game_session.player)
    refused = htmx(his, "launch", maria, round=str(maria.game_round.pk)).content.decode()
    assert "There is no such round of yours." in refused
    assert "no such slip" in htmx(his, "undo", maria, slip=str(slip.slip_id)).content.decode()
    assert maria.game_round.state == RoundState.BETTING
    assert not Slip.objects.filter(withdrawal__isnull=False).exists()


def test_a_closed_table_lets_nobody_in(house: House) -> None:
    Table.objects.update(state=TableState.CLOSED)
    client = client_of(house.player())
    assert client.post(reverse("enter", args=[house.table.slug])).status_code == 409
    assert not GameSession.objects.exists()


def test_pages_allow_no_foreign_script_or_style(house: House) -> None:
    policy = Client().get(reverse("lobby"))["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_demonstration_is_there_only_where_it_may_be(house: House, settings: Any) -> None:
    assert Client().get(reverse("demo")).status_code == 404
    settings.DEMO_SITE = settings.LOCAL = True
    assert Client().get(reverse("demo")).status_code == 200
    assert Client().get(reverse("demo"), REMOTE_ADDR="192.0.2.7").status_code == 404
    assert Client().post(reverse("demo"), {"email": "admin@elsewhere.example"}).status_code == 404


def test_alive_and_ready(house: House) -> None:
    assert Client().get("/healthz").content == b"alive"
    assert Client().get("/readyz").json() == {"ready": True, "reasons": [], "degraded": []}
    assert b"#d9b44a" in Client().get("/brand.css").content


def test_a_site_whose_guards_are_gone_is_not_ready(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roulette_site.common.guards.find_missing", lambda connection: ["wallets_transfer_no_delete"])
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["the guard wallets_transfer_no_delete does not stand"]
