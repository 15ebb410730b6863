"""What the regulation says the game is: online, against the operator, on any spot, from the table's minimum up."""

import datetime as dt

import pytest

from sessions_app.services.game_sessions import start_game_session
from tables.models import Bet, NumberSource, Table, TableKind
from tables.roulette.cloth import SPOTS
from tables.roulette.rulebooks import find_rulebook
from tables.services.advance import open_individual_round
from tables.services.betting import SlipRefused
from tables.services.tables import SourceNotLawful, set_up_table
from tests.house import DRAW_KEY, NOON, House, PlayerAtTable, bet, make_house
from tests.tables.test_rounds import seed_for
from wallets.models import AccountKind, Transfer, Unit
from wallets.services.ledger import operator_account

pytestmark = pytest.mark.django_db


def seated_before(house: House, number: int) -> PlayerAtTable:
    """A player with 100 euros in whose round the number will fall."""
    session = start_game_session(table=house.table, player=house.player(100_00), at=house.forward())
    seed = seed_for(number, house.table, 1)
    open_individual_round(seat_id=session.seat_id, key=DRAW_KEY, at=house.forward(), fresh_seed=lambda: seed)
    return PlayerAtTable(house=house, game_session=session)


@pytest.mark.article("pt:p1")
def test_the_portuguese_rules_are_those_of_the_regulations_annex_for_play_online_alone() -> None:
    rulebook = find_rulebook("pt-online")
    assert (rulebook.edition, rulebook.act, rulebook.article, rulebook.publication) == (
        dt.date(2015, 11, 26),
        "Regulation 807/2015, Gambling Commission",
        "Annex, rules 1 to 33",
        "Diário da República, 2nd series, no. 232, 26 November 2015",
    )
    house = make_house()
    assert (house.table.rules.rulebook, house.table.number_source) == (rulebook, NumberSource.DRAWN)
    # A ball that a croupier throws is no play by electronic, computer, telematic or interactive media.
    with pytest.raises(SourceNotLawful):
        set_up_table(
            slug="dealt", name="Dealt", kind=TableKind.MULTIPLAYER, unit=Unit.EUR, number_source=NumberSource.DEALT,
            rules=house.table.rules, minimum_cents=50, at=NOON,
        )  # fmt: skip
    assert Table.objects.count() == 1


@pytest.mark.article("pt:1")
def test_players_bet_against_the_operator_on_a_number_a_set_of_numbers_and_a_colour() -> None:
    maria = seated_before(make_house(), 17)
    game_round = maria.play(
        bet("straight", 17, stake="1.00"),
        bet("dozen", 2, stake="2.00"),
        bet("black", stake="3.00"),
        bet("red", stake="4.00"),
    )
    wallet, in_play = maria.wallet, maria.house.table.in_play
    house = operator_account(kind=AccountKind.HOUSE, unit=Unit.EUR)
    moved = Transfer.objects.filter(round_ref=game_round.pk).order_by("reason")
    assert [(one.reason, one.debit, one.credit, one.amount_cents) for one in moved] == [
        ("prize", house, wallet, 35_00 + 4_00 + 3_00),
        ("stake", wallet, in_play, 10_00),
        ("stake_lost", in_play, house, 4_00),
        ("stake_returned", in_play, wallet, 6_00),
    ]
    assert maria.balance_cents == 100_00 + 38_00


@pytest.mark.article("pt:10")
def test_one_player_may_bet_on_every_spot_of_the_cloth_in_one_round() -> None:
    maria = make_house().seated()
    maria.place(*({"type": str(spot.type), "on": list(spot.on), "stake": "0.50"} for spot in SPOTS))
    placed = Bet.objects.filter(game_round=maria.game_round).order_by("spot")
    assert list(placed.values_list("spot", "stake_cents")) == [(index, 50) for index in range(161)]
    assert maria.balance_cents == 100_00 - 161 * 50


@pytest.mark.article("pt:3c", "pt:11")
@pytest.mark.parametrize(("minimum_cents", "below", "least"), [(50, "0.40", "0.50"), (200, "1.90", "2.00")])
def test_on_each_spot_the_tables_own_minimum_is_the_least_that_can_be_bet(
    minimum_cents: int, below: str, least: str
) -> None:
    maria = make_house(minimum_cents=minimum_cents).seated(balance_cents=1_000_00)
    everywhere = [(str(spot.type), spot.on) for spot in SPOTS]
    with pytest.raises(SlipRefused) as refused:
        maria.place(*(bet(wager, *on, stake=below) for wager, on in everywhere))
    assert [(one["bet"], one["reason"], one["minimum"]) for one in refused.value.breaches] == [
        (index, "below_minimum", least) for index in range(161)
    ]
    assert maria.balance_cents == 1_000_00
    maria.place(*(bet(wager, *on, stake=least) for wager, on in everywhere))
    assert maria.balance_cents == 1_000_00 - 161 * minimum_cents
