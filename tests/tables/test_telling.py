"""Other rules at a table: who has played there is told once, and nobody else."""

import datetime as dt

import pytest
from django.urls import reverse

from roulette_site.common.audit import audited, record
from tables.models import RulesTelling, SpecificRules, Table
from tables.services import telling
from tables.services.publishing import publish_rules
from tables.services.rules import approve_rules
from tables.services.telling import tell_players_of_rules
from tests.house import NOON, House, bet, make_house
from tests.web.pages import client_of
from wallets.models import InboxMessage, Player

pytestmark = pytest.mark.django_db
LATER = NOON + dt.timedelta(days=30)


def new_rules(house: House, in_force_from: dt.datetime = LATER) -> SpecificRules:
    """Another version for the house's table, approved and set."""
    old = house.table.rules
    rules = SpecificRules.objects.create(
        rulebook_code=old.rulebook_code, rulebook_edition=old.rulebook_edition, version=SpecificRules.objects.count() + 1,
        call_bets=[], created_at=NOON,
    )  # fmt: skip
    approve_rules(rules=rules, reference="TEST-2", in_force_from=in_force_from, at=NOON)
    with audited():
        Table.objects.filter(pk=house.table.pk).update(rules=rules)
        record(act="table_rules_changed", actor="system", subject=("table", house.table.pk), at=NOON)
    return rules


def told() -> list[Player]:
    return [one.player for one in InboxMessage.objects.filter(kind="rules").order_by("player_id")]


@pytest.mark.article("pt:p4")
def test_who_bet_under_the_old_rules_is_told_of_the_new_ones_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "PLAYERS_A_BATCH", 1)
    house, elsewhere = make_house(), make_house()
    played = [house.seated() for _ in range(3)]
    for one in (*played, elsewhere.seated()):
        one.play(bet("red"))
    house.seated()
    assert tell_players_of_rules(at=NOON) == 0
    rules = new_rules(house)
    assert tell_players_of_rules(at=LATER - dt.timedelta(seconds=1)) == 0
    assert tell_players_of_rules(at=LATER) == 3
    assert tell_players_of_rules(at=LATER) == 0
    assert told() == sorted((one.game_session.player for one in played), key=lambda one: one.pk)
    assert RulesTelling.objects.get(rules=rules).players == 3
    publish_rules(rules_id=rules.pk, at=LATER)
    page = client_of(told()[0]).get(reverse("inbox")).content.decode()
    assert f"At {house.table.name} version {rules.version} of the rules is in force since" in page
    assert reverse("rules-version", args=[rules.rulebook_code, rules.version]) in page


def test_a_worker_that_died_on_the_way_is_carried_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "PLAYERS_A_BATCH", 2)
    house = make_house()
    for _ in range(3):
        house.seated().play(bet("red"))
    new_rules(house)
    assert telling._tell_some(Table.objects.get(pk=house.table.pk), LATER) == 2
    assert tell_players_of_rules(at=LATER) == 1
    assert len(set(told())) == len(told()) == 3


def test_who_has_not_been_there_for_a_year_is_not_told() -> None:
    house = make_house()
    house.seated().play(bet("red"))
    new_rules(house, in_force_from=NOON + dt.timedelta(days=400))
    assert tell_players_of_rules(at=NOON + dt.timedelta(days=400)) == 0


def test_a_table_that_everybody_was_told_of_costs_one_look(django_assert_max_num_queries: object) -> None:
    make_house()
    tell_players_of_rules(at=NOON)
    with django_assert_max_num_queries(1):  # type: ignore[operator]
        tell_players_of_rules(at=LATER)
