"""A round keeps its rules on its page, and a session on its statement, when the table moves on to others."""

import pytest
from django.urls import reverse
from django.utils import timezone

from tables.models import Table
from tests.house import PlayerAtTable, bet, make_house

from .pages import client_of, htmx, key

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house(call_bets=["voisins"], split_dozens_offered=True).seated()


def move_to_other_rules(player: PlayerAtTable) -> None:
    other = make_house(call_bets=["tiers"], split_dozens_offered=False).table.rules
    Table.objects.filter(pk=player.house.table.pk).update(rules=other, minimum_cents=100)


def test_the_page_of_an_open_round_offers_what_the_round_takes(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    # The call bet below is placed by the database's clock, so this one too.
    maria.house.now = timezone.now()
    maria.place(bet("red"))
    move_to_other_rules(maria)
    page = client.get(reverse("play", args=[maria.house.table.slug])).content.decode()
    assert 'data-call="voisins"' in page
    assert 'data-call="tiers"' not in page
    assert "maximum 15.00" in page
    assert "/rules/pt-online/1/" in page
    assert "/rules/pt-online/2/" not in page
    assert "refusal" not in htmx(client, "bets", maria, call="voisins", unit="0.50", **key()).content.decode()


def test_the_next_round_is_under_the_new_rules(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    move_to_other_rules(maria)
    maria.play(bet("red"))
    page = client.get(reverse("play", args=[maria.house.table.slug])).content.decode()
    assert 'data-call="tiers"' in page
    assert "maximum 30.00" in page
    statement = client.get(reverse("statement", args=[maria.game_session.pk])).content.decode()
    for version in (1, 2):
        assert f"/rules/pt-online/{version}/" in statement


def test_a_refusal_says_which_bet_it_is_about(maria: PlayerAtTable) -> None:
    client = client_of(maria.game_session.player)
    slip = (
        '[{"on":[17],"stake":"15.50"},{"type":"dozen","on":2,"stake":"0.05"},{"call":"voisins","unit":"0.05"},'
        '{"call":"tiers","unit":"1.00"},{"on":[99],"stake":"1.00"},{"type":[],"stake":"1.00"},1]'
    )
    answer = htmx(client, "bets", maria, bets=slip, **key()).content.decode()
    for sentence in (
        "Straight 17: At most 15.00 may stand on this spot in a round.",
        "Dozen 13–24: The minimum is 0.50.",
        "Voisins du zéro: The minimum is 0.50.",
        "Tiers du cylindre: The table does not take this bet.",
        "<p>A chip cannot stand there: the cloth has no such spot.</p>",
    ):
        assert sentence in answer
    alone = htmx(client, "bets", maria, bets='[{"on":[17],"stake":"15.50"}]', **key()).content.decode()
    assert "<p>At most 15.00 may stand on this spot in a round.</p>" in alone
