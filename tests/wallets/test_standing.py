"""Who a player is held to be, and whether his account is in use: one writer, with reasons."""

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from tests.house import NOON, House, make_house
from wallets.models import Account, KycState, Player, Standing, StandingChange, Unit
from wallets.services.ledger import open_wallet, withdraw
from wallets.services.people import add_player
from wallets.services.standing import (
    AccountNotEmpty,
    ReasonMissing,
    StepNotAllowed,
    set_kyc_state,
    set_restricted,
    set_standing,
)

pytestmark = pytest.mark.django_db
BY_STAFF: dict[str, Any] = {"actor": "staff:1", "at": NOON}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def newcomer(house: House) -> Player:
    player = add_player(email="new@test.example", full_name="New", handle="new", at=NOON)
    for unit in Unit:
        open_wallet(player=player, unit=unit)
    return player


def barred(player: Player, unit: Unit = Unit.EUR) -> str:
    return Account.objects.get(player=player, unit=unit).barred


def test_who_is_not_verified_does_not_play_for_money(newcomer: Player) -> None:
    assert (barred(newcomer), barred(newcomer, Unit.DEMO)) == ("not_verified", "")
    for state in (KycState.PENDING, KycState.REJECTED, KycState.PENDING):
        set_kyc_state(player=newcomer, state=state, reason="papers", **BY_STAFF)
        assert barred(newcomer) == "not_verified"
    set_kyc_state(player=newcomer, state=KycState.VERIFIED, reason="papers", **BY_STAFF)
    assert barred(newcomer) == ""
    set_kyc_state(player=newcomer, state=KycState.EXPIRED, reason="papers ran out", **BY_STAFF)
    assert barred(newcomer) == "not_verified"


def test_every_change_is_on_record_and_the_same_again_is_none(newcomer: Player) -> None:
    for _ in range(2):
        set_kyc_state(player=newcomer, state=KycState.VERIFIED, reason=" papers ", **BY_STAFF)
    (change,) = StandingChange.objects.filter(player=newcomer)
    assert (change.field, change.before, change.after, change.reason, change.actor, change.changed_at) == (
        "kyc_state", "unverified", "verified", "papers", "staff:1", NOON,
    )  # fmt: skip


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "a\u202eb", "\0"])
def test_a_decision_has_a_reason(newcomer: Player, reason: str) -> None:
    with pytest.raises(ReasonMissing):
        set_kyc_state(player=newcomer, state=KycState.VERIFIED, reason=reason, **BY_STAFF)
    assert barred(newcomer) == "not_verified"


@pytest.mark.parametrize("state", [KycState.EXPIRED])
def test_a_state_follows_only_from_some(newcomer: Player, state: KycState) -> None:
    with pytest.raises(StepNotAllowed):
        set_kyc_state(player=newcomer, state=state, reason="papers", **BY_STAFF)
    assert not StandingChange.objects.exists()


def test_a_suspended_account_plays_nothing_and_may_be_taken_up_again(newcomer: Player) -> None:
    set_standing(player=newcomer, standing=Standing.SUSPENDED, reason="a report", **BY_STAFF)
    set_restricted(player=newcomer, is_restricted=True, reason="works here", **BY_STAFF)
    assert barred(newcomer) == "suspended not_verified restricted"
    assert barred(newcomer, Unit.DEMO) == "suspended"
    set_standing(player=newcomer, standing=Standing.ACTIVE, reason="cleared", **BY_STAFF)
    set_restricted(player=newcomer, is_restricted=False, reason="left us", **BY_STAFF)
    assert (barred(newcomer), barred(newcomer, Unit.DEMO)) == ("not_verified", "")


def test_an_account_is_closed_when_its_money_is_paid_out_and_stays_closed(house: House) -> None:
    maria = house.player(balance_cents=10_00)
    with pytest.raises(AccountNotEmpty) as refused:
        set_standing(player=maria, standing=Standing.CLOSED, reason="her wish", **BY_STAFF)
    assert refused.value.details == {"balance_cents": 10_00}
    withdraw(wallet=open_wallet(player=maria, unit=Unit.EUR), amount_cents=10_00, actor="system", at=NOON)
    set_standing(player=maria, standing=Standing.CLOSED, reason="her wish", **BY_STAFF)
    assert barred(maria) == "closed"
    for standing in (Standing.ACTIVE, Standing.SUSPENDED):
        with pytest.raises(StepNotAllowed):
            set_standing(player=maria, standing=standing, reason="a mistake", **BY_STAFF)


def test_the_database_knows_no_other_states_and_no_change_without_a_reason(newcomer: Player) -> None:
    for values in ({"kyc_state": "friend"}, {"standing": "vip"}, {"time_zone": "Europe/Paris"}, {"is_test": True}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Player.objects.filter(pk=newcomer.pk).update(**values)
    change = {"player": newcomer, "field": "standing", "before": "active", "actor": "staff:1", "changed_at": NOON}
    for after, reason in (("suspended", ""), ("active", "none")):
        with pytest.raises(DatabaseError), transaction.atomic():
            StandingChange.objects.create(**change, after=after, reason=reason)
