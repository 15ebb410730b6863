"""Who a player is held to be, and whether his account is in use: one writer, with reasons."""

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from roulette_site.common.four_eyes import ActRefused, approve_request, make_request, refuse_request
from roulette_site.common.reasons import ReasonNotUsable
from roulette_site.common.roles import lay_roles
from tests.house import IBAN, NOON, House, make_house
from wallets.acts.protection import LIFT, LOOSEN, arguments_of_loosening
from wallets.acts.standing import FREE, REINSTATE
from wallets.models import (
    Account,
    DocumentType,
    KycState,
    LimitKind,
    LimitPeriod,
    Player,
    Standing,
    StandingChange,
    Unit,
    User,
)
from wallets.services.caps import OwnBenefit
from wallets.services.closing import close_or_begin
from wallets.services.erasure import erase_person
from wallets.services.exclusion import exclude_player
from wallets.services.ledger import open_wallet, withdraw
from wallets.services.limits import set_operator_limit
from wallets.services.logins import reset_second_factor, unlock_login
from wallets.services.papers import refuse_papers, verify_player
from wallets.services.payout import set_payout_address
from wallets.services.people import add_player, add_staff, record_document
from wallets.services.standing import (
    AccountNotEmpty,
    SecondPersonNeeded,
    StepNotAllowed,
    set_kyc_state,
    set_restricted,
    set_standing,
)

pytestmark = pytest.mark.django_db
BY_STAFF: dict[str, Any] = {"actor": "staff:900001", "at": NOON}


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
        "kyc_state", "unverified", "verified", "papers", "staff:900001", NOON,
    )  # fmt: skip


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "a\u202eb", "\0"])
def test_a_decision_has_a_reason(newcomer: Player, reason: str) -> None:
    with pytest.raises(ReasonNotUsable):
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
    for second in ("", "staff:900001"):
        with pytest.raises(SecondPersonNeeded):
            set_standing(player=newcomer, standing=Standing.ACTIVE, reason="x", second_actor=second, **BY_STAFF)
        with pytest.raises(SecondPersonNeeded):
            set_restricted(player=newcomer, is_restricted=False, reason="x", second_actor=second, **BY_STAFF)
    assert barred(newcomer) == "suspended not_verified restricted"
    set_standing(player=newcomer, standing=Standing.ACTIVE, reason="cleared", second_actor="staff:900002", **BY_STAFF)
    set_restricted(player=newcomer, is_restricted=False, reason="left us", second_actor="staff:900002", **BY_STAFF)
    assert (barred(newcomer), barred(newcomer, Unit.DEMO)) == ("not_verified", "")


def test_an_account_is_closed_when_its_money_is_paid_out_and_stays_closed(house: House) -> None:
    maria = house.player(balance_cents=10_00)
    with pytest.raises(AccountNotEmpty) as refused:
        set_standing(player=maria, standing=Standing.CLOSED, reason="her wish", **BY_STAFF)
    assert refused.value.details == {"balance_cents": 10_00, "hindrances": ["balance"]}
    withdraw(wallet=open_wallet(player=maria, unit=Unit.EUR), amount_cents=10_00, actor="system", at=NOON)
    set_standing(player=maria, standing=Standing.CLOSED, reason="her wish", **BY_STAFF)
    assert barred(maria) == "closed"
    for standing in (Standing.ACTIVE, Standing.SUSPENDED):
        with pytest.raises(StepNotAllowed):
            set_standing(player=maria, standing=standing, reason="a mistake", **BY_STAFF)


def test_the_database_lets_nobody_alone_write_that_a_player_plays_again(newcomer: Player) -> None:
    row: dict[str, Any] = {"player": newcomer, "reason": "x", "actor": "staff:900001", "changed_at": NOON}
    for lifted in (
        {"field": "standing", "before": "suspended", "after": "active"},
        {"field": "is_restricted", "before": "true", "after": "false"},
    ):
        for second in ("", "staff:900001"):
            with pytest.raises(DatabaseError, match="two people let a player play again"), transaction.atomic():
                StandingChange.objects.create(**row, **lifted, second_actor=second)
        StandingChange.objects.create(**row, **lifted, second_actor="staff:900002")


def test_the_database_knows_no_other_states_and_no_change_without_a_reason(newcomer: Player) -> None:
    for values in ({"kyc_state": "friend"}, {"standing": "vip"}, {"time_zone": "Europe/Paris"}, {"is_test": True}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Player.objects.filter(pk=newcomer.pk).update(**values)
    change = {"player": newcomer, "field": "standing", "before": "active", "actor": "staff:900001", "changed_at": NOON}
    for after, reason in (("suspended", ""), ("active", "none")):
        with pytest.raises(DatabaseError), transaction.atomic():
            StandingChange.objects.create(**change, after=after, reason=reason)


# Nobody lets himself play again.


def _suspended(player: Player) -> dict[str, Any]:
    set_standing(player=player, standing=Standing.SUSPENDED, reason="a report", **BY_STAFF)
    return {"act": REINSTATE, "arguments": {"player": player.pk}}


def _restricted(player: Player) -> dict[str, Any]:
    set_restricted(player=player, is_restricted=True, reason="a report", **BY_STAFF)
    return {"act": FREE, "arguments": {"player": player.pk}}


def _excluded(player: Player) -> dict[str, Any]:
    found = exclude_player(player=player, ends_at=None, reason="a report", **BY_STAFF)
    return {"act": LIFT, "arguments": {"player": player.pk, "exclusion": found.pk}}


def _limited(player: Player) -> dict[str, Any]:
    of_a_day: dict[str, Any] = {"player": player, "kind": LimitKind.LOSS, "period": LimitPeriod.DAY}
    set_operator_limit(**of_a_day, value=10_00, reason="a report", **BY_STAFF)
    return {"act": LOOSEN, "arguments": arguments_of_loosening(**of_a_day, value=None)}


def compliance(name: str) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=["Compliance"], at=NOON)


def share_a_document(*users: User) -> None:
    for one in users:
        record_document(user=one, document_type=DocumentType.PASSPORT, number="AB 1234", at=NOON)


def share_an_account(player: Player, user: User) -> None:
    """Paid out to one bank account: who seems to be one person by that alone is not barred for it."""
    other = Player.objects.create(user=user, handle=f"of-{user.pk}", created_at=NOON)
    for one in (player, other):
        set_payout_address(player=one, iban=IBAN, at=NOON)


@pytest.mark.parametrize("barred_by", [_suspended, _restricted, _excluded, _limited])
def test_nobody_asks_for_or_decides_what_lets_himself_play(newcomer: Player, barred_by: Any) -> None:
    lay_roles(at=NOON)
    asked = barred_by(newcomer)
    filipa, goncalo, ines = map(compliance, ("filipa", "goncalo", "ines"))
    share_an_account(newcomer, filipa)
    with pytest.raises(OwnBenefit):
        make_request(**asked, user=filipa, reason="mine", at=NOON)
    request = make_request(**asked, user=goncalo, reason="theirs", at=NOON)
    for answer in (approve_request, refuse_request):
        with pytest.raises(OwnBenefit):
            answer(request_id=request.pk, user=filipa, reason="seen", at=NOON)
    # Two logins are not two people: the act itself looks at both.
    share_a_document(goncalo, ines)
    with pytest.raises(ActRefused) as refused:
        approve_request(request_id=request.pk, user=ines, reason="seen", at=NOON)
    assert refused.value.details["because"] == "own_benefit"


def test_nobody_says_of_himself_who_he_is(newcomer: Player) -> None:
    lay_roles(at=NOON)
    filipa = compliance("filipa")
    share_an_account(newcomer, filipa)
    by_himself: dict[str, Any] = {"actor": f"staff:{filipa.pk}", "at": NOON, "reason": "papers"}
    with pytest.raises(OwnBenefit):
        set_kyc_state(player=newcomer, state=KycState.VERIFIED, **by_himself)
    with pytest.raises(OwnBenefit):
        verify_player(player=newcomer, seen=0, **by_himself)
    with pytest.raises(OwnBenefit):
        refuse_papers(player=newcomer, seen=0, cause="other", **by_himself)
    with pytest.raises(OwnBenefit):
        record_document(
            user=newcomer.user, document_type=DocumentType.PASSPORT, number="X 1", actor=by_himself["actor"], at=NOON
        )
    newcomer.refresh_from_db()
    assert newcomer.kyc_state == KycState.UNVERIFIED


def test_nobody_opens_or_ends_an_account_of_his_own_from_the_back_office(newcomer: Player) -> None:
    lay_roles(at=NOON)
    filipa = compliance("filipa")
    share_an_account(newcomer, filipa)
    by_himself: dict[str, Any] = {"actor": f"staff:{filipa.pk}", "at": NOON, "reason": "mine"}
    for act in (unlock_login, reset_second_factor, erase_person, close_or_begin):
        with pytest.raises(OwnBenefit):
            act(user=newcomer.user, **by_himself)
