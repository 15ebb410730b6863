"""The life of a round: committed, drawn, settled exactly, and the same for whoever looks twice."""

from itertools import cycle

import pytest
from django.db import IntegrityError

from roulette_site.common.guards import GUARDS
from sessions_app.models import EndBasis
from sessions_app.selectors.play import play_state
from sessions_app.selectors.statement import statement_of
from sessions_app.services.game_sessions import end_game_session, enter_table
from tables import draws
from tables.models import (
    BetOutcome,
    EventKind,
    GameRound,
    RoundDraw,
    RoundEvent,
    RoundSeed,
    RoundState,
    RoundTotals,
    Slip,
    Table,
    TableState,
)  # fmt: skip
from tables.roulette.bets import Bet as EngineBet
from tables.roulette.cloth import SPOTS
from tables.roulette.exposure import returned_by_number
from tables.roulette.rulebooks import find_rulebook
from tables.services.advance import advance_round, sweep
from tables.services.client_seed import ClientSeedFixed, choose_client_seed
from tables.services.rounds import draw_round, launch_ball, open_round
from tables.services.seats import AlreadySeated, TableNotOpen, take_seat
from tables.services.settlement import settle_round
from tests.house import DRAW_KEY, PlayerAtTable, bet, make_house

pytestmark = pytest.mark.django_db
EVERYTHING = [{"type": str(s.type), "on": list(s.on), "stake": "0.50"} for s in SPOTS]


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated(balance_cents=10_000_00)


def seed_for(number: int, table: Table, round_number: int) -> bytes:
    """A seed that draws the number for that round: found by trying."""
    return next(
        seed
        for seed in (value.to_bytes(32, "big") for value in range(100_000))
        if draws.draw_number(seed, table.slug, round_number) == number
    )


def play_with_number(player: PlayerAtTable, number: int, *items: dict[str, object]) -> GameRound:
    """Play a round whose number is known, after leaving the round that is open without a bet."""
    table = Table.objects.get(pk=player.house.table.pk)
    wanted = seed_for(number, table, table.last_round_number + 1)
    end_game_session(game_session=player.game_session, basis=EndBasis.PLAYER, at=player.house.forward())
    player.game_session = enter_table(table=table, player=player.game_session.player, at=player.house.forward())
    game_round = open_round(
        table=table, seat=player.seat, key=DRAW_KEY, at=player.house.forward(), fresh_seed=lambda: wanted
    )
    assert game_round is not None
    return player.play(*items)


@pytest.mark.article("pt:14", "pt:18", "pt:19", "pt:20", "pt:21", "pt:3d")
@pytest.mark.parametrize("rulebook", ["pt-online", "fr-anglaise"])
@pytest.mark.parametrize("number", [0, 1, 17, 36])
def test_a_round_pays_exactly_what_the_rulebook_says(rulebook: str, number: int) -> None:
    # A French rulebook on a drawn table plays in play units.
    house = make_house(rulebook=rulebook, unit="EUR" if rulebook == "pt-online" else "DEMO")
    player = house.seated(balance_cents=1_000_00)
    game_round = play_with_number(player, number, *EVERYTHING)
    assert (game_round.state, game_round.winning_number) == (RoundState.SETTLED, number)
    due = returned_by_number(find_rulebook(rulebook), [EngineBet(spot, 50) for spot in SPOTS])[number]
    assert player.balance_cents == 1_000_00 - 161 * 50 + due
    totals = RoundTotals.objects.get(pk=game_round.pk)
    assert totals.staked_cents == 161 * 50
    assert totals.stake_returned_cents + totals.prize_cents + totals.half_back_cents == due


def test_winning_bets_are_paid_in_the_order_of_the_rulebook(maria: PlayerAtTable) -> None:
    # The order in which they were placed is another one.
    game_round = play_with_number(maria, 17, *reversed(EVERYTHING))
    order = find_rulebook("pt-online").payment_order
    paid = BetOutcome.objects.filter(game_round=game_round).order_by("id").values_list("bet__spot", flat=True)
    ranks = [order.index(SPOTS[spot].type) for spot in paid]
    assert len(ranks) > 10
    assert ranks == sorted(ranks)


def test_a_round_is_closed_after_its_last_bet_whatever_the_launch_was_received_at(maria: PlayerAtTable) -> None:
    before = maria.house.at()
    maria.place(bet("red"))
    placed_at = Slip.objects.get().placed_at
    assert before < placed_at
    launched = launch_ball(seat=maria.seat, at=before)
    launched.refresh_from_db()
    assert launched.closed_at == placed_at


def test_every_step_does_its_work_once(maria: PlayerAtTable) -> None:
    game_round = maria.play(bet("red"), bet("black"))
    balance = maria.balance_cents
    events = RoundEvent.objects.count()
    assert not draw_round(game_round_id=game_round.pk, key=DRAW_KEY, at=maria.house.forward())
    assert not settle_round(game_round_id=game_round.pk, at=maria.house.forward())
    advance_round(game_round_id=game_round.pk, key=DRAW_KEY, now=maria.house.forward)
    assert (maria.balance_cents, RoundEvent.objects.count()) == (balance, events)


def test_the_seed_is_committed_to_before_bets_and_shown_after(maria: PlayerAtTable) -> None:
    secret = RoundSeed.objects.get(pk=maria.game_round.pk)
    assert play_state(maria.game_session).round.commitment == secret.commitment  # type: ignore[union-attr]
    assert not RoundDraw.objects.exists()
    game_round = maria.play(bet("red"))
    seed = bytes.fromhex(RoundDraw.objects.get(pk=game_round.pk).seed_hex)
    assert draws.commitment_of(seed) == secret.commitment
    assert draws.draw_number(seed, maria.house.table.slug, game_round.number) == game_round.winning_number


def test_the_players_own_seed_is_part_of_the_draw_and_fixed_by_his_first_bet(maria: PlayerAtTable) -> None:
    choose_client_seed(game_round=maria.game_round, client_seed="my lucky text")
    opened = maria.game_round
    maria.place(bet("red"))
    with pytest.raises(ClientSeedFixed):
        choose_client_seed(game_round=opened, client_seed="another")
    game_round = maria.play(bet("red"))
    seed = bytes.fromhex(RoundDraw.objects.get(pk=game_round.pk).seed_hex)
    assert draws.draw_number(seed, maria.house.table.slug, 1, "my lucky text") == game_round.winning_number


def test_a_seed_that_was_tampered_with_yields_no_number(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    launched = maria.launch()
    with pytest.raises(draws.SeedDoesNotMatch):
        draw_round(game_round_id=launched.pk, key=bytes(32), at=maria.house.forward())
    assert maria.game_round.state == RoundState.CLOSED
    assert maria.balance_cents == 10_000_00 - 100


def test_a_round_opens_once_for_a_seat(maria: PlayerAtTable) -> None:
    assert maria.open_round() is None
    assert open_round(table=maria.house.table, seat=maria.seat, key=DRAW_KEY, at=maria.house.forward()) is None
    assert GameRound.objects.count() == Table.objects.get().last_round_number == 1


def test_a_sweep_takes_everything_overdue_as_far_as_it_goes(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    assert sweep(key=DRAW_KEY, now=maria.house.forward) == 0
    maria.house.forward(600)
    assert sweep(key=DRAW_KEY, now=maria.house.forward) == 1
    assert [r.state for r in GameRound.objects.order_by("number")] == [RoundState.SETTLED, RoundState.BETTING]
    kinds = list(RoundEvent.objects.order_by("sequence").values_list("kind", flat=True))
    assert kinds == [
        EventKind.BETTING, EventKind.CLOSED, EventKind.DRAWN, EventKind.SETTLED, EventKind.BETTING,
    ]  # fmt: skip


def test_one_broken_round_does_not_stop_the_sweep(maria: PlayerAtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    joao = maria.house.seated()
    maria.place(bet("red"))
    joao.place(bet("red"))
    broken = maria.game_round.pk
    maria.house.forward(600)
    original = settle_round

    def fail_for_one(*, game_round_id: int, at: object) -> bool:
        if game_round_id == broken:
            raise RuntimeError("a fault")
        return original(game_round_id=game_round_id, at=at)  # type: ignore[arg-type]

    monkeypatch.setattr("tables.services.advance.settle_round", fail_for_one)
    sweep(key=DRAW_KEY, now=maria.house.forward)
    assert joao.game_round.state == RoundState.BETTING
    assert GameRound.objects.get(pk=broken).state == RoundState.DRAWN
    monkeypatch.undo()
    sweep(key=DRAW_KEY, now=maria.house.forward)
    assert GameRound.objects.get(pk=broken).state == RoundState.SETTLED


@pytest.mark.article("pt:24", "pt:25")
def test_who_leaves_with_bets_on_the_cloth_has_them_played(maria: PlayerAtTable) -> None:
    maria.place(bet("red"), bet("black"))
    game_round = maria.game_round
    end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=maria.house.forward())
    assert statement_of(maria.game_session).undecided_cents == 200
    sweep(key=DRAW_KEY, now=maria.house.forward)
    game_round.refresh_from_db()
    assert game_round.state == RoundState.SETTLED
    assert statement_of(maria.game_session).staked_cents == 200
    assert GameRound.objects.count() == 1


def test_who_leaves_without_a_bet_leaves_an_unused_round_whose_seed_is_shown(maria: PlayerAtTable) -> None:
    game_round = maria.game_round
    end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=maria.house.forward())
    sweep(key=DRAW_KEY, now=maria.house.forward)
    game_round.refresh_from_db()
    assert (game_round.state, game_round.winning_number) == (RoundState.UNUSED, None)
    assert RoundDraw.objects.filter(pk=game_round.pk).exists()
    assert sweep(key=DRAW_KEY, now=maria.house.forward) == 0


@pytest.mark.article("pt:29", "pt:3e")
def test_a_player_begins_and_ends_his_session_himself(maria: PlayerAtTable) -> None:
    table, player = maria.house.table, maria.game_session.player
    assert enter_table(table=table, player=player, at=maria.house.forward()) == maria.game_session
    with pytest.raises(AlreadySeated):
        take_seat(table=table, player=player, at=maria.house.forward())
    ended = end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=maria.house.forward())
    at = ended.ended_at
    again = end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=maria.house.forward())
    assert again.ended_at == at
    assert enter_table(table=table, player=player, at=maria.house.forward()) != maria.game_session


def test_a_table_that_is_not_open_seats_nobody(maria: PlayerAtTable) -> None:
    Table.objects.update(state=TableState.SUSPENDED)
    with pytest.raises(TableNotOpen):
        maria.house.seated()


@pytest.mark.article("pt:28", "pt:27", "pt:26")
def test_a_statement_has_only_its_own_sessions_bets(maria: PlayerAtTable) -> None:
    won = play_with_number(maria, 17, bet("straight", 17, stake="2.00"), bet("red", stake="5.00"))
    first = statement_of(maria.game_session)
    assert (first.rounds, first.staked_cents, first.returned_cents, first.net_cents) == (1, 700, 7200, 6500)
    assert first.prize_cents == 7000
    lost = play_with_number(maria, 0, bet("red", stake="5.00"))
    second = statement_of(maria.game_session)
    assert (second.rounds, second.staked_cents, second.returned_cents, second.net_cents) == (1, 500, 0, -500)
    last = play_state(maria.game_session).last_play
    assert last is not None
    assert (last.game_round_id, last.winning.number, last.staked_cents, last.returned_cents) == (lost.pk, 0, 500, 0)
    assert won.pk != lost.pk


def test_numbers_and_sequences_have_no_gap_over_many_players(maria: PlayerAtTable) -> None:
    joao = maria.house.seated()
    for player in [player for player, _ in zip(cycle((maria, joao)), range(6), strict=False)]:
        player.play(bet("red"))
    numbers = list(GameRound.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 9))
    sequences = list(RoundEvent.objects.order_by("sequence").values_list("sequence", flat=True))
    assert sequences == list(range(1, len(sequences) + 1))


def test_a_result_that_stands_cannot_be_changed(maria: PlayerAtTable) -> None:
    game_round = maria.play(bet("red"))
    other = (game_round.winning_number or 0) + 1
    with pytest.raises(IntegrityError):
        GameRound.objects.filter(pk=game_round.pk).update(winning_number=other % 37)
    assert any(guard.table == "tables_gameround" for guard in GUARDS)
