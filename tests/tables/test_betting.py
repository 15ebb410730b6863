"""Placing and taking back: all or nothing, every breach named, each key spent once. Runs on both databases."""

import dataclasses
import datetime as dt
from typing import Any

import pytest

from sessions_app.services.game_sessions import start_game_session
from tables.models import Bet, GameRound, RoundState, Seat, Slip, SlipCall, SlipWithdrawal
from tables.roulette.cloth import find_spot
from tables.services.betting import MOST_BETS, SlipRefused
from tables.services.rounds import BettingClosed, NothingStaked, close_round
from tables.services.taking_back import NothingToTakeBack, take_back, take_back_all
from tests.house import NOON, PlayerAtTable, bet, make_house
from wallets.models import Transfer
from wallets.services.ledger import IdempotencyConflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated(balance_cents=1_000_00)


def reasons(refused: pytest.ExceptionInfo[SlipRefused]) -> list[tuple[int | None, str]]:
    return [(breach["bet"], breach["reason"]) for breach in refused.value.breaches]


def rows() -> tuple[int, int, int]:
    return Transfer.objects.count(), Slip.objects.count(), Bet.objects.count()


@pytest.mark.article("pt:9", "pt:3", "pt:3a", "pt:3c", "pt:11")
def test_a_slip_moves_its_stake_from_the_wallet_to_in_play(maria: PlayerAtTable) -> None:
    placed = maria.place(bet("straight", 17, stake="2.00"), bet("red", stake="5.00"))
    assert placed.staked_cents == 700
    assert placed.balance_cents == maria.balance_cents == 993_00
    transfer = Transfer.objects.get(pk=placed.slip_id)
    assert (transfer.debit, transfer.credit, transfer.amount_cents) == (maria.wallet, maria.house.table.in_play, 700)
    assert [(b.place, b.stake_cents) for b in Bet.objects.order_by("id")] == [
        (find_spot("straight", [17]), 200),
        (find_spot("red", []), 500),
    ]


@pytest.mark.article("pt:8")
def test_a_call_bet_stays_on_record_beside_its_parts(maria: PlayerAtTable) -> None:
    placed = maria.place({"call": "neighbours", "number": 0, "neighbours": 2, "unit": "1.00"}, bet("red"))
    call = SlipCall.objects.get()
    assert (call.name, call.parameters, call.unit_cents) == ("neighbours", {"number": 0, "neighbours": 2}, 100)
    on_cloth = [(b.place.numbers, b.call_ordinal) for b in Bet.objects.order_by("id")][:3]
    assert on_cloth == [((26,), 0), ((0,), 0), ((32,), 0)]
    assert placed.staked_cents == 400


def test_cal_050_a_call_bet_can_take_the_whole_balance() -> None:
    player = make_house().seated(balance_cents=9_00)
    player.place({"call": "voisins", "unit": "1.00"})
    assert player.balance_cents == 0


@pytest.mark.parametrize(
    "stake",
    [
        "1.005", "1e3", "\uff11.00", "\u0661", "NaN", "Infinity", "-1.00", "+1.00", "0", "0.00", "", " 1.00", "1.00\n", "1,00",
        "1_000", "0x10", "1" * 31, 1, 1.0, True, None, [], {},
    ],
)  # fmt: skip
def test_what_is_no_amount_is_refused_and_moves_nothing(maria: PlayerAtTable, stake: Any) -> None:
    before = rows()
    with pytest.raises(SlipRefused) as refused:
        maria.place({"type": "red", "stake": stake}, bet("straight", 17))
    assert reasons(refused) == [(0, "invalid_stake")]
    assert rows() == before


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"type": "straight", "on": [37], "stake": "1.00"}, "invalid_spot"),
        ({"type": "split", "on": [3, 4], "stake": "1.00"}, "invalid_spot"),
        ({"type": "straight", "on": ["17"], "stake": "1.00"}, "invalid_spot"),
        ({"type": "straight", "on": [True], "stake": "1.00"}, "invalid_spot"),
        ({"type": "straight", "on": [17, 17], "stake": "1.00"}, "invalid_spot"),
        ({"type": "00", "stake": "1.00"}, "invalid_spot"),
        ({"type": ["red"], "stake": "1.00"}, "invalid_spot"),
        ({"type": "red", "stake": "1.00", "odds": "99"}, "invalid_spot"),
        ({"call": "jeu_zero", "unit": "1.00"}, "not_offered"),
        ({"call": "final", "digit": 10, "unit": "1.00"}, "invalid_digit"),
        ({"call": "final", "unit": "1.00"}, "invalid_digit"),
        ({"call": "neighbours", "number": 37, "neighbours": 2, "unit": "1.00"}, "invalid_number"),
        ({"call": "neighbours", "number": 7, "neighbours": 3, "unit": "1.00"}, "invalid_neighbours"),
        ({"call": "tiers", "unit": "x"}, "invalid_stake"),
        (bet("red", stake="0.40"), "below_minimum"),
        (bet("red", stake="0.55"), "off_step"),
        (bet("straight", 17, stake="15.10"), "above_maximum"),
    ],
)
def test_a_wrong_bet_refuses_the_whole_slip(maria: PlayerAtTable, item: dict[str, Any], reason: str) -> None:
    before = rows()
    with pytest.raises(SlipRefused) as refused:
        maria.place(bet("black"), item)
    assert (1, reason) in reasons(refused)
    assert all(breach["message"] for breach in refused.value.breaches)
    assert rows() == before


@pytest.mark.parametrize("item", [None, 1, "red", [], [1]])
def test_what_is_no_bet_at_all_is_refused(maria: PlayerAtTable, item: Any) -> None:
    with pytest.raises(SlipRefused) as refused:
        maria.place(item)
    assert reasons(refused) == [(0, "invalid_spot"), (0, "invalid_stake")]


def test_an_empty_slip_and_an_endless_one_are_refused(maria: PlayerAtTable) -> None:
    for items, reason in (([], "empty_slip"), ([bet("red")] * (MOST_BETS + 1), "too_many_bets")):
        with pytest.raises(SlipRefused) as refused:
            maria.place(*items)
        assert reasons(refused) == [(None, reason)]


# What stands against the whole slip comes first, then bet by bet; in this order on both databases, whether the slip can be
# refused by its bets alone, or only by what the database knows.
def test_every_breach_of_bets_is_named_at_once_with_all_that_stands_against_the_slip() -> None:
    player = make_house(total_limit_cents=20_00).seated(balance_cents=5_00)
    player.place(bet("straight", 17, stake="5.00"))
    player.launch()
    Seat.objects.filter(pk=player.seat.pk).update(left_at=NOON)
    with pytest.raises(SlipRefused) as refused:
        player.place(
            bet("straight", 17, stake="10.10"),
            bet("red", stake="0.45"),
            bet("dozen", 1, stake="7.05"),
            bet("split", 1, 5, stake="0.05"),
            bet("black", stake="1e3"),
        )
    assert reasons(refused) == [
        (None, "betting_closed"), (None, "not_seated"), (None, "balance_too_low"), (None, "above_total_limit"),
        (0, "above_maximum"), (1, "below_minimum"), (1, "off_step"), (2, "off_step"),
        (3, "invalid_spot"), (3, "below_minimum"), (3, "off_step"), (4, "invalid_stake"),
    ]  # fmt: skip
    assert player.balance_cents == 0


def test_every_breach_that_the_database_finds_is_named_at_once() -> None:
    player = make_house(total_limit_cents=20_00).seated(balance_cents=15_00)
    player.place(bet("straight", 17, stake="10.00"), bet("split", 14, 17, stake="1.00"))
    player.launch()
    Seat.objects.filter(pk=player.seat.pk).update(left_at=NOON)
    with pytest.raises(SlipRefused) as refused:
        # Over the maximum of 15.00 only together, and with what stands.
        player.place(
            bet("straight", 17, stake="3.00"),
            bet("red", stake="2.00"),
            bet("split", 14, 17, stake="29.50"),
            bet("straight", 17, stake="3.00"),
        )
    assert reasons(refused) == [
        (None, "betting_closed"), (None, "not_seated"), (None, "balance_too_low"), (None, "above_total_limit"),
        (0, "above_maximum"), (2, "above_maximum"), (3, "above_maximum"),
    ]  # fmt: skip


def test_a_slip_without_bets_or_without_a_round_is_told_everything_too(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    maria.launch()
    for items, reason in (([], "empty_slip"), ([bet("red")] * (MOST_BETS + 1), "too_many_bets")):
        with pytest.raises(SlipRefused) as refused:
            maria.place(*items)
        assert reasons(refused) == [(None, "betting_closed"), (None, reason)]
    session = start_game_session(table=maria.house.table, player=maria.house.player(), at=NOON)
    early = PlayerAtTable(maria.house, session)
    with pytest.raises(SlipRefused) as refused:
        early.place(bet("red", stake="1e3"), bet("split", 1, 5, stake="0.05"))
    assert reasons(refused) == [
        (None, "betting_closed"), (0, "invalid_stake"), (1, "invalid_spot"), (1, "below_minimum"), (1, "off_step"),
    ]  # fmt: skip


@pytest.mark.parametrize("item", [bet("red", stake="0.40"), bet("red")])
def test_a_slip_that_is_late_is_told_so_whatever_else_is_wrong(maria: PlayerAtTable, item: dict[str, Any]) -> None:
    maria.place(bet("black"))
    deadline = maria.game_round.closes_at
    assert deadline is not None
    maria.house.now = deadline
    with pytest.raises(SlipRefused) as refused:
        maria.place(item)
    assert reasons(refused)[0] == (None, "betting_closed")


@pytest.mark.article("pt:12a-i", "pt:13")
def test_a_maximum_holds_over_every_chip_of_the_player_in_the_round(maria: PlayerAtTable) -> None:
    maria.place(bet("straight", 17, stake="10.00"))
    with pytest.raises(SlipRefused) as refused:
        maria.place(bet("straight", 17, stake="5.10"))
    (breach,) = refused.value.breaches
    assert (breach["reason"], breach["maximum"]) == ("above_maximum", "15.00")
    maria.place(bet("straight", 17, stake="5.00"))
    with pytest.raises(SlipRefused):
        maria.place({"call": "orphelins_en_plein", "unit": "0.50"})


@pytest.mark.article("pt:13")
def test_split_dozens_that_the_operator_does_not_take_are_refused() -> None:
    player = make_house(split_dozens_offered=False).seated()
    with pytest.raises(SlipRefused) as refused:
        player.place(bet("split_dozen", 1, 2))
    assert reasons(refused) == [(0, "not_offered")]
    player.place(bet("split_column", 1, 2))


@pytest.mark.article("pt:13")
def test_the_total_limit_counts_what_stands() -> None:
    player = make_house(total_limit_cents=10_00).seated()
    player.place(bet("red", stake="6.00"))
    with pytest.raises(SlipRefused) as refused:
        player.place(bet("black", stake="4.10"))
    assert reasons(refused) == [(None, "above_total_limit")]
    player.place(bet("black", stake="4.00"))


def test_a_bet_above_the_balance_is_refused() -> None:
    player = make_house().seated(balance_cents=3_00)
    with pytest.raises(SlipRefused) as refused:
        player.place(bet("red", stake="3.10"))
    (breach,) = refused.value.breaches
    assert (breach["reason"], breach["maximum"]) == ("balance_too_low", "3.00")
    player.place(bet("red", stake="3.00"))
    assert player.balance_cents == 0


@pytest.mark.article("pt:16")
def test_a_closed_round_takes_no_bet(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    maria.launch()
    before = rows()
    with pytest.raises(SlipRefused) as refused:
        maria.place(bet("red"))
    assert reasons(refused) == [(None, "betting_closed")]
    assert rows() == before


def test_a_bet_at_the_deadline_is_late_and_one_before_it_is_not(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    deadline = maria.game_round.closes_at
    assert deadline is not None
    maria.house.now = deadline - dt.timedelta(seconds=1, microseconds=1)
    maria.place(bet("red"))
    maria.house.now = deadline - dt.timedelta(seconds=1)
    with pytest.raises(SlipRefused) as refused:
        maria.place(bet("red"))
    assert reasons(refused) == [(None, "betting_closed")]


def test_the_same_key_is_answered_with_the_first_slip_and_moves_nothing(maria: PlayerAtTable) -> None:
    first = maria.place(bet("red"), key="once-only")
    before = rows()
    again = maria.place(bet("red"), key="once-only")
    assert (again.slip_id, again.replayed, rows()) == (first.slip_id, True, before)
    maria.launch()
    late = maria.place(bet("red"), key="once-only")
    assert (late.slip_id, late.replayed, rows()) == (first.slip_id, True, before)


def test_a_replayed_slip_is_answered_as_it_was_whatever_happened_since(maria: PlayerAtTable) -> None:
    first = maria.place(bet("red", stake="1.00"), key="once-only")
    maria.play(bet("black", stake="5.00"))
    maria.place(bet("odd", stake="3.00"))
    assert maria.place(bet("red", stake="1.00"), key="once-only") == dataclasses.replace(first, replayed=True)


def test_a_spent_key_is_refused_also_for_a_slip_that_could_never_stand(maria: PlayerAtTable) -> None:
    first = maria.place(bet("red"), key="key-00000001")
    for items in ([], [bet("red")] * (MOST_BETS + 1), [bet("red", "0.001")]):
        with pytest.raises(IdempotencyConflict):
            maria.place(*items, key="key-00000001")
    assert maria.place(bet("red"), key="key-00000001") == dataclasses.replace(first, replayed=True)


def test_the_same_key_with_another_body_or_of_another_player_is_refused(maria: PlayerAtTable) -> None:
    maria.place(bet("red"), key="once-only")
    joao = maria.house.seated()
    before = rows()
    with pytest.raises(IdempotencyConflict):
        maria.place(bet("black"), key="once-only")
    with pytest.raises(IdempotencyConflict):
        joao.place(bet("red"), key="once-only")
    assert rows() == before


def test_a_slip_taken_back_returns_exactly_and_frees_its_room(maria: PlayerAtTable) -> None:
    placed = maria.place(bet("straight", 17, stake="15.00"))
    withdrawal = take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward())
    assert maria.balance_cents == 1_000_00
    assert take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward()) == withdrawal
    assert SlipWithdrawal.objects.count() == 1
    assert maria.game_round.closes_at is None
    maria.place(bet("straight", 17, stake="15.00"))


def test_all_slips_are_taken_back_at_once(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    maria.place(bet("black"))
    assert take_back_all(seat=maria.seat, at=maria.house.forward()) == 2
    assert maria.balance_cents == 1_000_00
    with pytest.raises(NothingToTakeBack):
        take_back_all(seat=maria.seat, at=maria.house.forward())


def test_nothing_is_taken_back_from_a_closed_round_or_by_another_player(maria: PlayerAtTable) -> None:
    placed = maria.place(bet("red"))
    joao = maria.house.seated()
    with pytest.raises(NothingToTakeBack):
        take_back(seat=joao.seat, slip_id=placed.slip_id, at=maria.house.forward())
    maria.launch()
    with pytest.raises(BettingClosed):
        take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward())
    with pytest.raises(BettingClosed):
        take_back_all(seat=maria.seat, at=maria.house.forward())
    assert maria.balance_cents == 999_00


@pytest.mark.article("pt:17")
def test_a_launch_needs_a_bet_on_the_cloth(maria: PlayerAtTable) -> None:
    with pytest.raises(NothingStaked):
        maria.launch()
    placed = maria.place(bet("red"))
    take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward())
    with pytest.raises(NothingStaked):
        maria.launch()
    assert maria.game_round.state == RoundState.BETTING


def test_a_second_launch_is_refused(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    maria.launch()
    with pytest.raises(BettingClosed):
        maria.launch()


def test_the_deadline_launches_a_ball_with_bets_and_waits_without(maria: PlayerAtTable) -> None:
    placed = maria.place(bet("red"))
    deadline = maria.game_round.closes_at
    assert deadline is not None
    just_before = deadline + dt.timedelta(milliseconds=49)
    assert not close_round(game_round_id=maria.game_round.pk, at=just_before)
    assert close_round(game_round_id=maria.game_round.pk, at=deadline + dt.timedelta(milliseconds=50))
    assert not close_round(game_round_id=maria.game_round.pk, at=deadline + dt.timedelta(seconds=9))
    assert placed.game_round_id == maria.game_round.pk
    assert GameRound.objects.get().state == RoundState.CLOSED
