"""An amendment of the law in the middle of the evening: what was opened under the old edition stays under it."""

import datetime as dt
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from roulette_site.common.audit import audited, record
from sessions_app.services.game_sessions import start_game_session
from tables.models import GameRound, RoundState, SpecificRules, Table
from tables.roulette import rulebooks
from tables.roulette.rulebooks import find_rulebook
from tables.selectors.rules import rules_page
from tables.services.advance import advance_round, open_individual_round
from tables.services.betting import SlipRefused
from tables.services.rules import approve_rules
from tests.house import DRAW_KEY, House, PlayerAtTable, bet, make_house
from tests.tables.test_rounds import seed_for

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = dt.date(2015, 11, 26), dt.date(2027, 1, 1)
AMENDED = """
import dataclasses, datetime as dt
from tables.roulette.cloth import SpotType
from tables.roulette.rulebook import HALF_BACK_AT_ZERO
from tables.roulette.rulebooks.pt_online import RULEBOOK
RULEBOOKS = (
    dataclasses.replace(
        RULEBOOK,
        edition=dt.date(2027, 1, 1),
        maxima={**RULEBOOK.maxima, SpotType.STRAIGHT: 20},
        zero_rule=HALF_BACK_AT_ZERO,
    ),
)
"""


class Amendment:
    """The edition of 2027, which is not there yet: at zero half goes back, and a straight takes 20 times the minimum."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def comes(self) -> None:
        (self.folder / "extra_pt_2027.py").write_text(AMENDED)
        rulebooks._known.cache_clear()
        assert find_rulebook("pt-online").edition == NEW

    def is_played_at(self, table: Table) -> SpecificRules:
        """Let the table play by specific rules of its own that are written under the new edition."""
        self.comes()
        rules = SpecificRules.objects.create(
            rulebook_code="pt-online",
            rulebook_edition=NEW,
            version=2,
            created_at=dt.datetime(2027, 1, 1, tzinfo=dt.UTC),
        )
        approve_rules(rules=rules, reference="TEST-2", in_force_from=rules.created_at, at=rules.created_at)
        with audited():
            Table.objects.filter(pk=table.pk).update(rules=rules)
            record(act="table_changed", actor="system", subject=("table", table.pk), at=rules.created_at)
        return rules


@pytest.fixture
def amendment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Amendment]:
    monkeypatch.setattr(rulebooks, "__path__", [*rulebooks.__path__, str(tmp_path)])
    yield Amendment(tmp_path)
    rulebooks._known.cache_clear()
    sys.modules.pop("tables.roulette.rulebooks.extra_pt_2027", None)


@pytest.fixture
def house() -> House:
    return make_house(minimum_cents=50)


@dataclass
class ZeroPlayer(PlayerAtTable):
    """A player with 100 euros, in each of whose rounds the ball falls on zero."""

    def seed_of_next(self) -> bytes:
        table = Table.objects.get(pk=self.house.table.pk)
        return seed_for(0, table, table.last_round_number + 1)

    def open_round(self) -> GameRound | None:
        return open_individual_round(
            seat_id=self.seat.pk, key=DRAW_KEY, at=self.house.forward(), fresh_seed=self.seed_of_next
        )

    def play(self, *items: dict[str, object]) -> GameRound:
        """Place, launch, draw and settle a round, and open the next."""
        self.place(*items)
        launched = self.launch()
        advance_round(game_round_id=launched.pk, key=DRAW_KEY, now=self.house.forward, fresh_seed=self.seed_of_next)
        launched.refresh_from_db()
        assert (launched.state, launched.winning_number) == (RoundState.SETTLED, 0)
        return launched


def seated(house: House) -> ZeroPlayer:
    session = start_game_session(table=house.table, player=house.player(100_00), at=house.forward())
    player = ZeroPlayer(house=house, game_session=session)
    player.open_round()
    return player


def refusal_of(player: PlayerAtTable, *items: dict[str, object]) -> list[tuple[object, object]]:
    with pytest.raises(SlipRefused) as refused:
        player.place(*items)
    return [(breach["reason"], breach["maximum"]) for breach in refused.value.breaches]


def verify() -> str:
    said = StringIO()
    with suppress(CommandError):
        call_command("verify", stdout=said)
    return said.getvalue()


def test_rounds_of_two_editions_each_pay_by_their_own_and_verify(house: House, amendment: Amendment) -> None:
    maria, joao = seated(house), seated(house)
    first = maria.play(bet("red", stake="10.00"), bet("straight", 0))
    assert maria.balance_cents == 100_00 - 11_00 + 36_00
    joao.place(bet("red", stake="10.00"), bet("straight", 0))

    amendment.is_played_at(house.table)
    standing = joao.play(bet("black", stake="5.00"))
    # Regulation of 2015, rule 21: at zero every even chance is lost.
    assert joao.balance_cents == 100_00 - 16_00 + 36_00

    under_the_new = joao.play(bet("red", stake="10.00"), bet("straight", 0))
    assert joao.balance_cents == 120_00 - 11_00 + 36_00 + 5_00
    assert [one.rulebook_edition for one in (first, standing, under_the_new)] == [OLD, OLD, NEW]
    assert [one.rulebook_digest[:16] for one in (first, standing)] == ["70222e3a55b5dc91"] * 2
    assert under_the_new.rulebook_digest == find_rulebook("pt-online", NEW).digest

    said = verify()
    assert "DIFFERS" not in said
    assert said.endswith("The books are right.\n")


def test_an_open_round_keeps_the_maxima_of_its_edition(house: House, amendment: Amendment) -> None:
    maria = seated(house)
    maria.place(bet("straight", 17, stake="10.00"))
    amendment.is_played_at(house.table)
    maria.place(bet("straight", 17, stake="5.00"))
    assert refusal_of(maria, bet("straight", 17, stake="0.50")) == [("above_maximum", "15.00")]
    assert refusal_of(maria, bet("straight", 18, stake="15.10")) == [("above_maximum", "15.00")]
    maria.play(bet("red"))

    assert refusal_of(maria, bet("straight", 17, stake="10.10")) == [("above_maximum", "10.00")]
    maria.place(bet("straight", 17, stake="10.00"))
    assert refusal_of(maria, bet("straight", 17, stake="0.50")) == [("above_maximum", "10.00")]


def test_a_table_whose_rules_are_of_the_old_edition_goes_on_under_it(house: House, amendment: Amendment) -> None:
    maria = seated(house)
    amendment.comes()
    maria.play(bet("red"))
    assert maria.game_round.rulebook_edition == OLD
    assert maria.game_round.rulebook_digest[:16] == "70222e3a55b5dc91"
    maria.play(bet("red", stake="10.00"))
    assert maria.balance_cents == 100_00 - 1_00 - 10_00
    straight = rules_page(SpecificRules.objects.get(version=1)).wagers[0]
    assert (straight.maximum, list(straight.maxima_cents)) == (30, [15_00])
    assert "DIFFERS" not in verify()


def test_a_round_that_was_settled_by_another_edition_than_its_own_is_found(
    house: House, amendment: Amendment, monkeypatch: pytest.MonkeyPatch
) -> None:
    maria = seated(house)
    maria.place(bet("red", stake="10.00"))
    amendment.is_played_at(house.table)
    with monkeypatch.context() as patched:
        patched.setattr(GameRound, "rulebook", property(lambda game_round: find_rulebook(game_round.rulebook_code)))
        maria.play(bet("straight", 0))
    assert maria.balance_cents == 100_00 - 11_00 + 36_00 + 5_00
    said = verify()
    assert said.count("DIFFERS") == 1
    assert "DIFFERS outcomes" in said
    assert "half 500 stands, the rulebook says None None" in said
