"""What protects a player at the tables: time, reality checks, and the end of a session that may not go on."""

import datetime as dt
import doctest
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app import playing_time
from sessions_app.models import EndBasis, GameSession, RealityCheck
from sessions_app.playing_time import TimeLimit, play_until, seconds_played
from sessions_app.selectors.playing_time import find_wrong_times
from sessions_app.services.game_sessions import NotAdmitted, end_game_session, start_game_session, steer
from sessions_app.services.protection import NoCheckDue, acknowledge_reality_check, end_sessions_of_the_barred, exclude
from tables.models import Seat
from tables.services.betting import SlipRefused
from tests.house import NOON, House, PlayerAtTable, bet, make_house
from wallets.models import LimitKind, LimitPeriod, Loosening, Standing, Unit
from wallets.services.limits import InvalidLimit, confirm_loosening, set_operator_limit, set_own_limit
from wallets.services.standing import set_standing

HOUR, MINUTE, DAY = dt.timedelta(hours=1), dt.timedelta(minutes=1), dt.timedelta(days=1)
TIME_A_DAY = {"kind": LimitKind.SESSION_TIME, "period": LimitPeriod.DAY}
BY_STAFF = {"reason": "A call with the player.", "actor": "staff:900001"}
CHECK = {"kind": LimitKind.REALITY_CHECK, "period": LimitPeriod.STRETCH}


def test_the_examples_in_the_text_are_true() -> None:
    assert doctest.testmod(playing_time) == (0, 3)


minutes = st.integers(0, 600).map(lambda n: NOON + n * MINUTE)


@given(st.lists(st.tuples(minutes, minutes).map(sorted).map(tuple), max_size=6))
def test_time_at_several_tables_counts_once(intervals: list[tuple[dt.datetime, dt.datetime]]) -> None:
    covered = sum(any(start <= NOON + n * MINUTE < end for start, end in intervals) for n in range(600))
    assert seconds_played(intervals, NOON, NOON + 600 * MINUTE) == covered * 60


def test_who_plays_past_midnight_has_the_next_days_time() -> None:
    limit = TimeLimit(3600, NOON - 12 * HOUR, NOON + 12 * HOUR)
    late = NOON + 11 * HOUR + 30 * MINUTE
    assert play_until([limit], [], late) == NOON + 13 * HOUR
    assert play_until([limit], [(NOON, NOON + 40 * MINUTE)], late) == late + 20 * MINUTE
    assert play_until([limit], [(NOON, NOON + 3 * HOUR)], late) == late
    assert play_until([], [], late) is None


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    return house.seated(balance_cents=1_000_00, is_asked=True)


def seat_of(player: PlayerAtTable) -> Seat:
    return Seat.objects.get(pk=player.seat.pk)


def reasons(player: PlayerAtTable) -> list[str]:
    with pytest.raises(SlipRefused) as refused:
        player.place(bet("red"))
    return [breach["reason"] for breach in refused.value.breaches]


def ended(player: PlayerAtTable) -> str | None:
    return GameSession.objects.values_list("end_basis", flat=True).get(pk=player.game_session.pk)


@pytest.fixture(autouse=True)
def _proved(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test did through services, `verify` finds every seat held to what it is to be held to."""
    yield
    if "maria" in request.fixturenames:
        assert list(find_wrong_times()) == []


@pytest.mark.django_db
def test_a_seat_that_is_let_go_on_by_hand_is_found(maria: PlayerAtTable) -> None:
    set_own_limit(player=maria.seat.player, **TIME_A_DAY, value=30 * 60, at=maria.house.forward())
    right = {"play_until": seat_of(maria).play_until, "reality_check_at": seat_of(maria).reality_check_at}
    for name, due in right.items():
        assert due is not None
        for wrong in (None, due + 2 * MINUTE, due - 2 * MINUTE):
            Seat.objects.filter(pk=maria.seat.pk).update(**right | {name: wrong})
            (said,) = find_wrong_times()
            assert said.startswith(f"seat {maria.seat.pk}: {name} is {wrong}, ")
    Seat.objects.filter(pk=maria.seat.pk).update(**right)


@pytest.mark.django_db
class TestRealityCheck:
    def test_after_an_hour_the_player_is_asked_before_he_plays_on(self, maria: PlayerAtTable) -> None:
        started_at = maria.game_session.started_at
        maria.house.now = started_at + HOUR - 2 * dt.timedelta(seconds=1)
        maria.place(bet("red"))
        assert reasons(maria) == ["reality_check_due"]
        maria.launch()
        check = acknowledge_reality_check(game_session=maria.game_session, at=maria.house.at())
        assert (check.due_at, check.acknowledged_at) == (started_at + HOUR, maria.house.at())
        assert seat_of(maria).reality_check_at == maria.house.at() + HOUR

    def test_he_says_so_once_and_only_when_asked(self, maria: PlayerAtTable) -> None:
        with pytest.raises(NoCheckDue):
            acknowledge_reality_check(game_session=maria.game_session, at=maria.house.at())
        due = maria.game_session.started_at + HOUR
        acknowledge_reality_check(game_session=maria.game_session, at=due)
        with pytest.raises(NoCheckDue):
            acknowledge_reality_check(game_session=maria.game_session, at=due)
        assert RealityCheck.objects.count() == 1

    def test_nothing_is_said_or_set_at_a_seat_that_was_left(self, maria: PlayerAtTable) -> None:
        """As from another tab; what is over is sealed, and stays as it was."""
        due = maria.game_session.started_at + HOUR
        end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=due)
        left = Seat.objects.values().get(pk=maria.seat.pk)
        with pytest.raises(NoCheckDue):
            acknowledge_reality_check(game_session=maria.game_session, at=due)
        steer(maria.game_session, at=due, reality_check_from=due)
        assert RealityCheck.objects.count() == 0
        assert Seat.objects.values().get(pk=maria.seat.pk) == left

    def test_a_shorter_interval_holds_at_once_and_a_longer_one_waits(self, maria: PlayerAtTable) -> None:
        player, begun = maria.seat.player, maria.game_session.started_at
        set_own_limit(player=player, **CHECK, value=10 * 60, at=maria.house.at())
        assert seat_of(maria).reality_check_at == begun + 10 * MINUTE
        asked = set_own_limit(player=player, **CHECK, value=20 * 60, at=maria.house.at())
        assert isinstance(asked, Loosening)
        assert seat_of(maria).reality_check_at == begun + 10 * MINUTE
        confirm_loosening(player=player, loosening_id=asked.pk, at=maria.house.at() + DAY)
        assert seat_of(maria).reality_check_at == begun + 20 * MINUTE

    def test_a_longer_stretch_than_the_hour_waits_also_for_who_has_set_nothing(self, maria: PlayerAtTable) -> None:
        player, begun = maria.seat.player, maria.game_session.started_at
        asked = set_own_limit(player=player, **CHECK, value=2 * 60 * 60, at=maria.house.at())
        assert isinstance(asked, Loosening)
        assert asked.departs_from.value == 60 * 60
        assert seat_of(maria).reality_check_at == begun + HOUR
        with pytest.raises(InvalidLimit):
            set_own_limit(player=player, **CHECK, value=24 * 60 * 60 + 1, at=maria.house.at())

    def test_the_house_can_have_him_asked_sooner_and_not_later(self, maria: PlayerAtTable) -> None:
        begun = maria.game_session.started_at
        for value, stretch in ((2 * 60 * 60, HOUR), (10 * 60, 10 * MINUTE)):
            set_operator_limit(player=maria.seat.player, **CHECK, value=value, at=maria.house.at(), **BY_STAFF)
            assert seat_of(maria).reality_check_at == begun + stretch

    def test_play_units_ask_nothing(self) -> None:
        player = make_house(unit=Unit.DEMO).seated(is_asked=True)
        assert (seat_of(player).reality_check_at, seat_of(player).play_until) == (None, None)


@pytest.mark.django_db
class TestTime:
    def test_the_time_of_a_day_ends_the_session_and_the_next_begins_tomorrow(self, maria: PlayerAtTable) -> None:
        house, player = maria.house, maria.seat.player
        begun = maria.game_session.started_at
        set_own_limit(player=player, **TIME_A_DAY, value=30 * 60, at=house.at())
        assert seat_of(maria).play_until == begun + 30 * MINUTE
        house.now = begun + 30 * MINUTE - dt.timedelta(seconds=1)
        assert reasons(maria) == ["time_used_up"]
        assert end_sessions_of_the_barred(at=house.at()) == 1
        assert end_sessions_of_the_barred(at=house.at()) == 0
        assert ended(maria) == EndBasis.TIME_LIMIT
        with pytest.raises(NotAdmitted) as refused:
            start_game_session(table=house.table, player=player, at=house.forward())
        assert refused.value.details == {"reasons": ["time_used_up"]}
        # Midnight in Lisbon.
        tomorrow = dt.datetime(2026, 6, 15, 23, 0, tzinfo=dt.UTC)
        again = start_game_session(table=house.table, player=player, at=tomorrow)
        assert Seat.objects.get(pk=again.seat_id).play_until == tomorrow + 30 * MINUTE

    def test_a_limit_of_the_house_reaches_who_sits_already(self, maria: PlayerAtTable) -> None:
        maria.place(bet("red"))
        set_operator_limit(player=maria.seat.player, **TIME_A_DAY, value=0, at=maria.house.at(), **BY_STAFF)
        assert reasons(maria) == ["time_used_up"]
        assert end_sessions_of_the_barred(at=maria.house.at()) == 1
        assert ended(maria) == EndBasis.TIME_LIMIT

    def test_time_of_earlier_sessions_counts(self, maria: PlayerAtTable) -> None:
        house, player = maria.house, maria.seat.player
        begun = maria.game_session.started_at
        end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=begun + 20 * MINUTE)
        set_own_limit(player=player, **TIME_A_DAY, value=30 * 60, at=begun + HOUR)
        again = start_game_session(table=house.table, player=player, at=begun + 2 * HOUR)
        assert Seat.objects.get(pk=again.seat_id).play_until == begun + 2 * HOUR + 10 * MINUTE


@pytest.mark.django_db
class TestNotToGoOn:
    def test_who_excludes_himself_leaves_every_table_and_his_bets_are_played(self, maria: PlayerAtTable) -> None:
        maria.place(bet("red"))
        exclude(player=maria.seat.player, term="3 months", at=maria.house.forward())
        assert ended(maria) == EndBasis.EXCLUSION
        assert maria.game_round.state == "closed"
        with pytest.raises(NotAdmitted) as refused:
            start_game_session(table=maria.house.table, player=maria.seat.player, at=maria.house.forward())
        assert refused.value.details == {"reasons": ["excluded"]}

    def test_whom_others_bar_is_taken_from_the_table_by_the_next_sweep(self, maria: PlayerAtTable) -> None:
        other = maria.house.seated(is_asked=True)
        set_standing(
            player=maria.seat.player, standing=Standing.SUSPENDED, reason="a report", actor="staff:900001", at=NOON
        )
        assert reasons(maria) == ["suspended"]
        assert end_sessions_of_the_barred(at=maria.house.forward()) == 1
        assert (ended(maria), ended(other)) == (EndBasis.BARRED, None)

    def test_an_unknown_term_excludes_and_ends_nothing(self, maria: PlayerAtTable) -> None:
        with pytest.raises(Exception, match="one of the terms"):
            exclude(player=maria.seat.player, term="a while", at=maria.house.forward())
        assert ended(maria) is None
