"""Limits: tightened at once, loosened late, and never by staff alone; held by services and by the database."""

import datetime as dt
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from roulette_site.common.reasons import ReasonNotUsable
from tests.house import NOON, House, make_house
from wallets.models import Account, Limit, LimitKind, LimitPeriod, LimitSide, Loosening, Player, Unit
from wallets.selectors.gates import strictest_limits
from wallets.services.ledger import open_wallet
from wallets.services.limits import (
    InvalidLimit,
    LimitUnchanged,
    LooseningPending,
    NothingToConfirm,
    OnlyTighter,
    TooEarlyToConfirm,
    confirm_loosening,
    pending_loosening,
    set_operator_limit,
    set_own_limit,
)

pytestmark = pytest.mark.django_db
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)
LOSS_A_DAY = {"kind": LimitKind.LOSS, "period": LimitPeriod.DAY}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    player = house.player()
    set_own_limit(player=player, **LOSS_A_DAY, value=100_00, at=NOON)
    return player


def holds(player: Player) -> int | None:
    """The limit that placing reads, which is the one that the rows say."""
    wallet = Account.objects.get(player=player, unit=Unit.EUR)
    assert wallet.loss_day_limit_cents == strictest_limits(player).get(tuple(LOSS_A_DAY.values()))
    return wallet.loss_day_limit_cents


def loosen(player: Player, value: int | None = 200_00, at: dt.datetime = NOON) -> Loosening:
    asked = set_own_limit(player=player, **LOSS_A_DAY, value=value, at=at)
    assert isinstance(asked, Loosening)
    return asked


def test_a_tighter_limit_holds_at_once(maria: Player) -> None:
    assert holds(maria) == 100_00
    assert isinstance(set_own_limit(player=maria, **LOSS_A_DAY, value=50_00, at=NOON), Limit)
    assert holds(maria) == 50_00


def test_a_looser_limit_waits_a_day_and_for_the_players_word(maria: Player) -> None:
    asked = loosen(maria)
    assert (asked.confirmable_at, asked.lapses_at) == (NOON + DAY, NOON + 8 * DAY)
    with pytest.raises(TooEarlyToConfirm):
        confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY - dt.timedelta(microseconds=1))
    assert holds(maria) == 100_00
    confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY)
    assert holds(maria) == 200_00


def test_confirming_twice_changes_nothing(maria: Player) -> None:
    asked = loosen(maria)
    first = confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY)
    set_own_limit(player=maria, **LOSS_A_DAY, value=10_00, at=NOON + DAY + HOUR)
    assert confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY + 2 * HOUR) == first
    assert holds(maria) == 10_00


def test_a_looser_limit_lapses_after_seven_days(maria: Player) -> None:
    asked = loosen(maria)
    last_moment = asked.lapses_at - dt.timedelta(microseconds=1)
    assert pending_loosening(maria, **LOSS_A_DAY, at=last_moment) == asked
    with pytest.raises(NothingToConfirm):
        confirm_loosening(player=maria, loosening_id=asked.pk, at=asked.lapses_at)
    assert holds(maria) == 100_00
    loosen(maria, at=asked.lapses_at)


def test_a_tighter_limit_overtakes_what_waits(maria: Player) -> None:
    asked = loosen(maria)
    set_own_limit(player=maria, **LOSS_A_DAY, value=80_00, at=NOON + HOUR)
    with pytest.raises(NothingToConfirm):
        confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY)
    assert holds(maria) == 80_00


@pytest.mark.parametrize("value", [200_00, 300_00, None])
def test_a_limit_is_loosened_one_at_a_time(maria: Player, value: int | None) -> None:
    loosen(maria)
    with pytest.raises(LooseningPending):
        loosen(maria, value, at=NOON + HOUR)
    assert Loosening.objects.count() == 1


def test_a_limit_is_lifted_as_it_is_loosened(maria: Player) -> None:
    asked = loosen(maria, None)
    confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY)
    assert holds(maria) is None
    set_own_limit(player=maria, **LOSS_A_DAY, value=500_00, at=NOON + DAY + HOUR)
    assert holds(maria) == 500_00


def test_nobody_confirms_for_another(house: House, maria: Player) -> None:
    asked = loosen(maria)
    with pytest.raises(NothingToConfirm):
        confirm_loosening(player=house.player(), loosening_id=asked.pk, at=NOON + DAY)
    with pytest.raises(NothingToConfirm):
        confirm_loosening(player=maria, loosening_id=asked.pk + 1, at=NOON + DAY)
    assert holds(maria) == 100_00


def test_of_both_sides_the_stricter_wins(maria: Player) -> None:
    by_staff: dict[str, Any] = {"player": maria, **LOSS_A_DAY, "actor": "staff:900001"}
    set_operator_limit(**by_staff, value=60_00, reason="worried", at=NOON)
    assert holds(maria) == 60_00
    set_own_limit(player=maria, **LOSS_A_DAY, value=40_00, at=NOON)
    assert holds(maria) == 40_00
    # The player's own wish for more waits for him, and the operator's limit stands beside it.
    asked = loosen(maria, 90_00)
    confirm_loosening(player=maria, loosening_id=asked.pk, at=NOON + DAY)
    assert holds(maria) == 60_00


def test_staff_alone_can_only_tighten(maria: Player) -> None:
    by_staff: dict[str, Any] = {"player": maria, **LOSS_A_DAY, "actor": "staff:900001", "at": NOON}
    set_operator_limit(**by_staff, value=60_00, reason="worried")
    for value, second in ((70_00, ""), (None, ""), (70_00, "staff:900001")):
        with pytest.raises(OnlyTighter):
            set_operator_limit(**by_staff, value=value, reason="talked to her", second_actor=second)
    with pytest.raises(ReasonNotUsable):
        set_operator_limit(**by_staff, value=50_00, reason=" ")
    with pytest.raises(LimitUnchanged):
        set_operator_limit(**by_staff, value=60_00, reason="again")
    assert holds(maria) == 60_00
    set_operator_limit(**by_staff, value=None, reason="talked to her", second_actor="staff:900002")
    assert holds(maria) == 100_00


@pytest.mark.parametrize(
    ("kind", "period", "value"),
    [
        (LimitKind.STAKE, LimitPeriod.DAY, 1),
        (LimitKind.LOSS, LimitPeriod.ROUND, 1),
        (LimitKind.LOSS, LimitPeriod.DAY, -1),
        (LimitKind.LOSS, LimitPeriod.DAY, 10**30),
        (LimitKind.REALITY_CHECK, LimitPeriod.STRETCH, None),
        (LimitKind.REALITY_CHECK, LimitPeriod.STRETCH, 59),
    ],
)
def test_what_is_no_limit_is_refused(maria: Player, kind: LimitKind, period: LimitPeriod, value: int | None) -> None:
    with pytest.raises(InvalidLimit):
        set_own_limit(player=maria, kind=kind, period=period, value=value, at=NOON)
    assert Limit.objects.count() == 1


def test_too_much_is_said_to_be_too_much(maria: Player) -> None:
    asked: dict[str, Any] = {"player": maria, "kind": LimitKind.LOSS, "period": LimitPeriod.DAY, "at": NOON}
    for value, words in ((10**17, "This is more than any limit can be."), (-1, "A limit is zero or more.")):
        with pytest.raises(InvalidLimit) as refused:
            set_own_limit(**asked, value=value)
        assert refused.value.message == words


def test_the_same_limit_again_is_said_to_be_there(maria: Player) -> None:
    with pytest.raises(LimitUnchanged):
        set_own_limit(player=maria, **LOSS_A_DAY, value=100_00, at=NOON)


def test_a_new_wallet_is_limited_as_the_player_is(house: House) -> None:
    player = house.player(balance_cents=0)
    set_own_limit(player=player, **LOSS_A_DAY, value=100_00, at=NOON)
    assert open_wallet(player=player, unit=Unit.EUR).loss_day_limit_cents == 100_00
    # Play units are not money: nothing is lost with them.
    assert open_wallet(player=player, unit=Unit.DEMO).loss_day_limit_cents is None


def test_the_database_knows_what_overtakes_a_wish(maria: Player) -> None:
    asked = loosen(maria)
    set_own_limit(player=maria, **LOSS_A_DAY, value=80_00, at=NOON + HOUR)
    with pytest.raises(DatabaseError), transaction.atomic():
        row(maria, value=200_00, loosening=asked, set_at=NOON + DAY).save()


def row(player: Player, **changes: Any) -> Limit:
    own = {"side": LimitSide.PLAYER, "actor": f"player:{player.pk}"}
    return Limit(**{"player": player, **LOSS_A_DAY, "value": 50_00, "set_at": NOON, **own, **changes})


OPERATORS = {"side": LimitSide.OPERATOR, "actor": "staff:900001", "reason": "worried"}


@pytest.mark.parametrize(
    "changes",
    [
        {"actor": "staff:900001"},
        {"actor": "player:0"},
        {"value": 200_00},
        {"value": None},
        OPERATORS | {"value": 70_00},
        OPERATORS | {"value": None},
        OPERATORS | {"value": 70_00, "second_actor": "staff:900001"},
        OPERATORS | {"reason": ""},
        {"period": LimitPeriod.ROUND},
        {"second_actor": "staff:900002"},
        {"side": "house"},
        {"value": -1},
    ],
)
def test_the_database_refuses_what_no_service_would_write(maria: Player, changes: dict[str, Any]) -> None:
    row(maria, **OPERATORS | {"value": 60_00}).save()
    with pytest.raises(DatabaseError), transaction.atomic():
        row(maria, **changes).save()
    with pytest.raises(DatabaseError), transaction.atomic():
        Limit.objects.bulk_create([row(maria, **changes)])
    assert Limit.objects.count() == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"set_at": NOON + DAY - dt.timedelta(seconds=1)},
        {"set_at": NOON + 8 * DAY},
        {"value": 300_00},
        {"value": None},
        {"period": LimitPeriod.WEEK, "was": 100_00},
    ],
)
def test_the_database_lets_a_looser_limit_come_from_its_own_wish_alone(maria: Player, changes: dict[str, Any]) -> None:
    asked = loosen(maria)
    if "was" in changes:
        row(maria, period=LimitPeriod.WEEK, value=changes.pop("was")).save()
    wished = {"value": 200_00, "loosening": asked, "set_at": NOON + DAY}
    with pytest.raises(DatabaseError), transaction.atomic():
        row(maria, **wished | changes).save()
    row(maria, **wished).save()


@pytest.mark.parametrize("waits", [dt.timedelta(), dt.timedelta(hours=23, minutes=59, seconds=50)])
def test_the_database_lets_no_wish_wait_less_than_a_day(maria: Player, waits: dt.timedelta) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Loosening.objects.create(
            player=maria,
            **LOSS_A_DAY,
            departs_from=Limit.objects.get(),
            value=200_00,
            asked_at=NOON,
            confirmable_at=NOON + waits,
            lapses_at=NOON + DAY,
        )
