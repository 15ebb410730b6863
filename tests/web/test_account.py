"""Looking back: sessions, statements, single plays, and what the public rules say of them."""

import contextlib
import io

import pytest
from django.test import Client
from django.urls import reverse

from sessions_app.models import EndBasis, GameSession
from sessions_app.selectors.account import session_lines
from sessions_app.selectors.statement import statement_of
from sessions_app.services.game_sessions import end_game_session, start_game_session
from tables.services.advance import open_individual_round, sweep
from tests.house import DRAW_KEY, House, PlayerAtTable, bet, make_house

from .pages import client_of, htmx

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    return house.seated()


def end(player: PlayerAtTable) -> None:
    end_game_session(game_session=player.game_session, basis=EndBasis.PLAYER, at=player.house.forward())


def come_back(player: PlayerAtTable) -> PlayerAtTable:
    session = start_game_session(table=player.house.table, player=player.game_session.player, at=player.house.forward())
    back = PlayerAtTable(house=player.house, game_session=session, keys=player.keys)
    open_individual_round(seat_id=session.seat_id, key=DRAW_KEY, at=player.house.forward())
    return back


@pytest.mark.article("pt:28")
def test_the_list_of_sessions_says_what_the_statements_say(maria: PlayerAtTable) -> None:
    maria.play(bet("red"), bet("straight", 17))
    maria.play(bet("odd", stake="2.00"))
    end(maria)
    again = come_back(maria)
    again.play(bet("low"))
    again.place(bet("high"))
    lines = session_lines(maria.game_session.player, limit=10)
    assert [line.game_session.pk for line in lines] == [again.game_session.pk, maria.game_session.pk]
    for line in lines:
        statement = statement_of(line.game_session)
        assert (line.rounds, line.staked_cents, line.returned_cents, line.net_cents) == (
            statement.rounds,
            statement.staked_cents,
            statement.returned_cents,
            statement.net_cents,
        )


def test_sessions_are_paged_by_key_and_none_is_lost(maria: PlayerAtTable) -> None:
    player = maria
    for _ in range(6):
        end(player)
        player = come_back(player)
    everything = list(session_lines(player.game_session.player, limit=100))
    assert len(everything) == 7
    seen: list[int] = []
    before = None
    while page := session_lines(player.game_session.player, limit=3, before=before):
        seen += [line.game_session.pk for line in page]
        before = seen[-1]
    assert seen == [line.game_session.pk for line in everything]
    joao = player.house.seated()
    assert session_lines(joao.game_session.player, limit=3, before=seen[0]) == ()


@pytest.mark.parametrize("before", ["x", "-1", "\u0661", "9" * 40])
def test_a_page_that_makes_no_sense_is_the_first_or_empty(maria: PlayerAtTable, before: str) -> None:
    answer = client_of(maria.game_session.player).get(reverse("sessions"), {"before": before})
    assert answer.status_code == 200


def test_the_account_shows_balance_and_open_session(maria: PlayerAtTable) -> None:
    page = client_of(maria.game_session.player).get(reverse("account")).content.decode()
    assert "100.00\u00a0€" in page
    assert reverse("play", args=[maria.house.table.slug]) in page


@pytest.mark.article("pt:25", "pt:28")
def test_a_statement_says_what_is_not_decided_yet_and_asks_again_until_it_is(maria: PlayerAtTable) -> None:
    maria.place(bet("red", stake="2.00"))
    end(maria)
    client = client_of(maria.game_session.player)
    address = reverse("statement", args=[maria.game_session.pk])
    page = client.get(address).content.decode()
    assert "2.00\u00a0€ are not decided yet" in page
    assert 'hx-trigger="every 2s"' in page
    sweep(key=DRAW_KEY, now=maria.house.forward)
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "not decided" not in part
    assert "hx-trigger" not in part
    assert "<html" not in part
    assert part.split('id="staked">')[1].split("</dd>")[0].strip() == "2.00\u00a0€"


@pytest.mark.article("pt:26")
def test_a_play_can_be_recomputed_from_what_its_page_says(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    htmx(client, "client-seed", maria, client_seed="o meu 'texto' \\ \u00e9")
    maria.place({"call": "neighbours", "number": 17, "neighbours": 4, "unit": "1.00"})
    game_round = maria.play(bet("red"))
    page = client.get(reverse("round", args=[game_round.pk]))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(page.context["recipe"], {})
    assert int(said.getvalue()) == game_round.winning_number
    text = page.content.decode()
    assert "17 and 4 neighbours" in text
    assert text.count('data-cloth="') == 4
    assert "data-spot" not in text


def test_the_last_play_is_one_step_away(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    address = reverse("last-play", args=[maria.house.table.slug])
    assert client.get(address)["Location"] == reverse("account")
    game_round = maria.play(bet("red"))
    assert client.get(address)["Location"] == reverse("round", args=[game_round.pk])


def test_coming_back_finds_the_table_as_it_was_left(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    maria.place(bet("split", 14, 17))
    client.post(reverse("enter", args=[maria.house.table.slug]))
    assert GameSession.objects.count() == 1
    page = client.get(reverse("play", args=[maria.house.table.slug])).content.decode()
    assert "split 14–17" in page
    assert page.count('class="stack"') == 2


ZERO = {
    "pt-online": "are lost, and so are all other bets",
    "fr-anglaise": "half of each stake",
    "fr-francaise": "leaves all of it in prison",
}


@pytest.mark.parametrize("code", list(ZERO))
def test_the_rules_of_every_rulebook_are_said_in_full(code: str, house: House) -> None:
    from tables.models import SpecificRules
    from tables.roulette.rulebooks import find_rulebook
    from tables.services.publishing import publish_rules
    from tables.services.rules import approve_rules

    rulebook = find_rulebook(code)
    rules = SpecificRules.objects.create(
        rulebook_code=code,
        rulebook_edition=rulebook.edition,
        version=7,
        call_bets=sorted(rulebook.call_bets),
        total_limit_cents=500_00,
        split_dozens_offered="split_dozens_offered" not in rulebook.options,
        created_at=house.at(),
    )
    approve_rules(rules=rules, reference="REF-7", in_force_from=house.at(), at=house.at())
    publish_rules(rules_id=rules.pk, at=house.at())
    text = Client().get(reverse("rules-version", args=[code, 7])).content.decode()
    assert ZERO[code] in text
    for said in (rulebook.act, rulebook.article, rulebook.publication, rulebook.digest, "REF-7", "500.00\u00a0€"):
        assert str(said).replace("'", "&#x27;") in text
    assert ('badge-stop">not taken' in text) == (code == "pt-online")
    assert ("final 0: 0-10-20-30" in text) == ("final" in rulebook.call_bets)
    # Even money returns 36/37 where zero loses, and half a pocket more where half goes back.
    assert ("73/74" in text) == (code != "pt-online")
