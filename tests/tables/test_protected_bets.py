"""What protects a player, held where his bets are placed: the same words in the same order on both databases."""

import datetime as dt

import pytest

from sessions_app.services.game_sessions import start_game_session
from tables.models import Seat
from tables.services.advance import advance_round
from tables.services.betting import SlipRefused
from tables.services.taking_back import take_back
from tests.house import DRAW_KEY, House, PlayerAtTable, bet, make_house
from wallets.models import Account, LimitKind, LimitPeriod, PlayerDay, Standing, Unit
from wallets.services.exclusion import exclude_self
from wallets.services.ledger import deposit
from wallets.services.limits import set_own_limit
from wallets.services.standing import set_restricted, set_standing

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated(balance_cents=1_000_00)


def limit(seated: PlayerAtTable, kind: LimitKind, period: LimitPeriod, value: int) -> None:
    set_own_limit(player=seated.seat.player, kind=kind, period=period, value=value, at=seated.house.at())


def refused(seated: PlayerAtTable, *bets: dict[str, object]) -> list[tuple[str, str | None]]:
    """What stands against the bets, with the room that is left; and nothing moved."""
    before = seated.balance_cents
    with pytest.raises(SlipRefused) as refusal:
        seated.place(*bets)
    assert seated.balance_cents == before
    return [(one["reason"], one.get("maximum")) for one in refusal.value.breaches]


def day_of(seated: PlayerAtTable) -> tuple[int, int]:
    """What the player's latest day has of stakes and returns."""
    day = PlayerDay.objects.filter(account=seated.wallet).latest("day")
    return day.staked_cents, day.returned_cents


def test_an_excluded_player_places_nothing_from_that_moment(maria: PlayerAtTable) -> None:
    maria.place(bet("red"))
    exclude_self(player=maria.seat.player, term="24 hours", at=maria.house.at())
    assert refused(maria, bet("red")) == [("excluded", None)]
    maria.launch()
    maria.house.now = dt.datetime(2026, 6, 16, 12, 30, tzinfo=dt.UTC)
    assert ("excluded", None) not in refused(maria, bet("red"))


def test_what_bars_a_player_is_named_word_by_word_before_his_money(maria: PlayerAtTable) -> None:
    at = maria.house.at()
    player = maria.seat.player
    set_standing(player=player, standing=Standing.SUSPENDED, reason="a report", actor="staff:900001", at=at)
    set_restricted(player=player, is_restricted=True, reason="works here", actor="staff:900001", at=at)
    exclude_self(player=player, term="7 days", at=at)
    limit(maria, LimitKind.STAKE, LimitPeriod.ROUND, 5_00)
    for period in (LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH):
        limit(maria, LimitKind.LOSS, period, 10_00)
    Seat.objects.filter(pk=maria.seat.pk).update(play_until=at, reality_check_at=at)
    expected = [
        ("excluded", None), ("suspended", None), ("restricted", None), ("time_used_up", None),
        ("reality_check_due", None), ("balance_too_low", "1000.00"), ("above_stake_limit", "5.00"),
        ("above_loss_limit_day", "10.00"), ("above_loss_limit_week", "10.00"), ("above_loss_limit_month", "10.00"),
    ]  # fmt: skip
    # Where a bet breaks a rule of the cloth too, the answer is made without the database's function: it says the same.
    assert (
        refused(maria, *[bet("straight", n, stake="15.00") for n in range(37)], *[bet("red", stake="250.00")] * 2)[
            : len(expected)
        ]
        == expected
    )
    too_much = refused(maria, bet("red", stake="1000.10"))
    assert [one for one in too_much if one[0] != "above_maximum"] == expected


def test_an_exclusion_keeps_from_play_units_too_and_a_limit_does_not() -> None:
    player = make_house(unit=Unit.DEMO).seated(balance_cents=1_000_00)
    limit(player, LimitKind.LOSS, LimitPeriod.DAY, 0)
    player.place(bet("red", stake="20.00"))
    assert not PlayerDay.objects.exists()
    exclude_self(player=player.seat.player, term="24 hours", at=player.house.at())
    assert refused(player, bet("red")) == [("excluded", None)]


def test_the_stake_of_a_round_is_limited_over_all_its_slips(maria: PlayerAtTable) -> None:
    limit(maria, LimitKind.STAKE, LimitPeriod.ROUND, 10_00)
    placed = maria.place(bet("red", stake="6.00"))
    assert refused(maria, bet("black", stake="4.50")) == [("above_stake_limit", "4.00")]
    maria.place(bet("black", stake="4.00"))
    take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward())
    maria.place(bet("odd", stake="6.00"))


def test_a_loss_is_stakes_minus_returns_never_stakes_alone(maria: PlayerAtTable) -> None:
    limit(maria, LimitKind.LOSS, LimitPeriod.DAY, 20_00)
    # Red and black at once return what they cost, but for the zero: six times the limit is staked, and not lost.
    lost = rounds = 0
    while rounds < 6 and lost == 0:
        played = maria.play(bet("red", stake="10.00"), bet("black", stake="10.00"))
        lost += 20_00 if played.winning_number == 0 else 0
        rounds += 1
        maria.open_round()
    staked, returned = day_of(maria)
    assert (staked, staked - returned) == (rounds * 20_00, lost)
    assert maria.balance_cents == 1_000_00 - lost
    assert refused(maria, bet("red", stake="20.50")) == [("above_loss_limit_day", f"{(20_00 - lost) / 100:.2f}")]


def test_a_stake_counts_when_placed_and_no_more_when_taken_back(maria: PlayerAtTable) -> None:
    limit(maria, LimitKind.LOSS, LimitPeriod.WEEK, 10_00)
    placed = maria.place(bet("red", stake="10.00"))
    assert day_of(maria) == (10_00, 0)
    assert refused(maria, bet("black")) == [("above_loss_limit_week", "0.00")]
    take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward())
    assert day_of(maria) == (0, 0)
    maria.place(bet("black", stake="10.00"))


def test_a_stake_taken_back_after_midnight_leaves_the_day_it_was_placed_in(maria: PlayerAtTable) -> None:
    # In Lisbon, an hour ahead of the tests' clock, this is a second before midnight.
    maria.house.now = dt.datetime(2026, 6, 15, 22, 59, 58, tzinfo=dt.UTC)
    placed = maria.place(bet("red", stake="10.00"))
    maria.place(bet("black", stake="3.00"))
    withdrawal = take_back(seat=maria.seat, slip_id=placed.slip_id, at=maria.house.forward())
    assert withdrawal.transfer.player_day == dt.date(2026, 6, 15)
    days = PlayerDay.objects.filter(account=maria.wallet).order_by("day").values_list("day", "staked_cents")
    assert list(days) == [(dt.date(2026, 6, 15), 0), (dt.date(2026, 6, 16), 3_00)]


def test_a_new_day_begins_anew_by_the_players_own_midnight_and_the_week_goes_on(maria: PlayerAtTable) -> None:
    limit(maria, LimitKind.LOSS, LimitPeriod.DAY, 10_00)
    limit(maria, LimitKind.LOSS, LimitPeriod.WEEK, 15_00)
    maria.house.now = dt.datetime(2026, 6, 15, 22, 59, 50, tzinfo=dt.UTC)
    maria.place(bet("red", stake="10.00"))
    assert refused(maria, bet("red", stake="0.50"))[0] == ("above_loss_limit_day", "0.00")
    maria.house.now = dt.datetime(2026, 6, 15, 23, 0, tzinfo=dt.UTC)
    assert refused(maria, bet("black", stake="10.00")) == [("above_loss_limit_week", "5.00")]
    maria.place(bet("black", stake="5.00"))


def test_a_return_counts_in_the_day_that_it_is_paid_in(maria: PlayerAtTable) -> None:
    maria.house.now = dt.datetime(2026, 6, 15, 22, 59, 55, tzinfo=dt.UTC)
    maria.place(bet("red", stake="10.00"), bet("black", stake="10.00"), bet("straight", 0))
    maria.house.now = dt.datetime(2026, 6, 15, 23, 0, 5, tzinfo=dt.UTC)
    launched = maria.launch()
    advance_round(game_round_id=launched.pk, key=DRAW_KEY, now=maria.house.forward)
    launched.refresh_from_db()
    returned = 36_00 if launched.winning_number == 0 else 20_00
    days = PlayerDay.objects.filter(account=maria.wallet).order_by("day")
    assert list(days.values_list("day", "staked_cents", "returned_cents")) == [
        (dt.date(2026, 6, 15), 21_00, 0), (dt.date(2026, 6, 16), 0, returned),
    ]  # fmt: skip


def test_deposits_are_counted_in_their_day(maria: PlayerAtTable) -> None:
    deposit(wallet=maria.wallet, amount_cents=30_00, actor="system", at=maria.house.at(), key="once")
    deposit(wallet=maria.wallet, amount_cents=30_00, actor="system", at=maria.house.at(), key="once")
    assert PlayerDay.objects.get(account=maria.wallet).deposited_cents == 1_030_00


def test_a_slip_spent_before_is_answered_whatever_bars_the_player_now(maria: PlayerAtTable) -> None:
    first = maria.place(bet("red"), key="once-only")
    exclude_self(player=maria.seat.player, term="24 hours", at=maria.house.at())
    assert maria.place(bet("red"), key="once-only").slip_id == first.slip_id
    assert Account.objects.get(pk=maria.wallet.pk).balance_cents == 999_00


def test_a_player_without_a_limit_has_his_days_all_the_same(maria: PlayerAtTable) -> None:
    maria.place(bet("red", stake="2.00"))
    assert day_of(maria) == (2_00, 0)
    house: House = maria.house
    other = PlayerAtTable(house, start_game_session(table=house.table, player=house.player(), at=house.forward()))
    other.open_round()
    limit(other, LimitKind.LOSS, LimitPeriod.MONTH, 1_00)
    assert refused(other, bet("red", stake="1.50")) == [("above_loss_limit_month", "1.00")]
