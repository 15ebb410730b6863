"""Adjustments: what one person may do in a day however it is split, never for himself, and each tied to its request."""

import datetime as dt
from typing import Any

import pytest

from roulette_site.common.four_eyes import ActRefused, approve_request, find_act, make_request, refuse_request
from roulette_site.common.models import FourEyesRequest
from roulette_site.common.reasons import ReasonMissing
from roulette_site.common.roles import lay_roles
from tests.house import IBAN, NOON, House, make_house
from wallets.acts.money import ADJUST, CORRECT, TAKE_OWED
from wallets.models import DecidedTransfer, DocumentType, Person, Player, Reason, Transfer, Unit, User
from wallets.services.adjustments import adjust_balance
from wallets.services.caps import AboveCap, NeedsSecondPerson, OwnBenefit
from wallets.services.decided import NotDecided
from wallets.services.ledger import open_wallet
from wallets.services.payout import set_payout_address
from wallets.services.people import add_player, add_staff, record_document, record_person
from wallets.services.receivables import take_owed

from .books import hold_books

pytestmark = pytest.mark.django_db
LATER = NOON + dt.timedelta(hours=1)
TOMORROW = NOON + dt.timedelta(days=1)
BORN = dt.date(1990, 2, 3)


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player()


def finance(name: str) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=["Finance"], at=NOON)


@pytest.fixture
def filipa(house: House) -> User:
    return finance("filipa")


@pytest.fixture
def goncalo(house: House) -> User:
    return finance("goncalo")


def ask(
    user: User, player: Player, cents: int, at: dt.datetime = NOON, evidence: str = "a letter", **more: Any
) -> FourEyesRequest:
    said = {"player": player.pk, "direction": "credit", "amount_cents": cents, "cause": "goodwill"}
    return make_request(
        act=ADJUST,
        arguments={**said, **more},
        user=user,
        reason=f"a complaint {FourEyesRequest.objects.count()}",
        evidence=evidence,
        at=at,
    )


def approve(request: FourEyesRequest, user: User, at: dt.datetime = LATER) -> FourEyesRequest:
    return approve_request(request_id=request.pk, user=user, reason="seen", at=at)


def balance(player: Player) -> int:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents or 0


# The day's cap.


def test_a_thousand_in_ten_requests_is_a_thousand(maria: Player, filipa: User) -> None:
    for _ in range(5):
        ask(filipa, maria, 100_00)
    with pytest.raises(AboveCap) as refused:
        ask(filipa, maria, 1, direction="debit")
    assert refused.value.details == {"cap_cents": 500_00, "left_cents": 0}
    # To another player it is the same day's.
    with pytest.raises(AboveCap):
        ask(filipa, add_player(email="o@test.example", full_name="O", handle="o", at=NOON), 1)
    assert FourEyesRequest.objects.count() == 5


def test_the_day_is_the_gaming_day_and_what_was_refused_or_expired_counts_no_more(
    maria: Player, filipa: User, goncalo: User
) -> None:
    first = ask(filipa, maria, 500_00)
    # 06:00 at Lisbon is 05:00 in UTC.
    six = dt.datetime(2026, 6, 16, 5, 0, tzinfo=dt.UTC)
    with pytest.raises(AboveCap):
        ask(filipa, maria, 1, at=six - dt.timedelta(microseconds=1))
    ask(filipa, maria, 500_00, at=six)
    refuse_request(request_id=first.pk, user=goncalo, reason="no", at=LATER)
    ask(filipa, maria, 500_00, at=LATER)
    FourEyesRequest.objects.filter(made_at=LATER).update(state="expired")
    ask(filipa, maria, 500_00, at=LATER)


def test_who_decides_has_a_days_cap_of_his_own_and_can_always_refuse(
    maria: Player, filipa: User, goncalo: User
) -> None:
    others = [filipa, finance("helena")]
    first, second = (ask(user, maria, 500_00) for user in others)
    approve(first, goncalo)
    with pytest.raises(AboveCap):
        approve(second, goncalo)
    assert FourEyesRequest.objects.get(pk=second.pk).state == "open"
    assert balance(maria) == 600_00
    # What he decides leaves him what he may ask for; and the next day there is room again.
    ask(goncalo, maria, 500_00, at=LATER)
    approve(second, goncalo, at=TOMORROW)
    third = ask(finance("ines"), maria, 1_00, at=TOMORROW)
    refuse_request(request_id=third.pk, user=goncalo, reason="no", at=TOMORROW)
    hold_books()


def test_nobody_takes_what_a_player_owes_alone_however_little_it_is(maria: Player, filipa: User) -> None:
    for second_actor in ("", f"staff:{filipa.pk}"):
        with pytest.raises(NeedsSecondPerson):
            take_owed(
                player=maria, unit=Unit.EUR, amount_cents=1, reason="r", consent="c", actor=f"staff:{filipa.pk}",
                second_actor=second_actor, at=NOON, key="a",
            )  # fmt: skip


def test_what_could_not_be_approved_is_not_asked_for(maria: Player, filipa: User) -> None:
    for evidence in ("", "  "):
        with pytest.raises(ReasonMissing) as refused:
            ask(filipa, maria, 5_00, evidence=evidence)
        assert refused.value.message == "Give the evidence."
    for act in (ADJUST, CORRECT, TAKE_OWED):
        assert find_act(act).needs_evidence
    assert not FourEyesRequest.objects.exists()


# Whose money it is.


def _same_login(filipa: User, player: Player) -> Player:
    return Player.objects.create(user=filipa, handle="filipa", created_at=NOON)


def _same_document(filipa: User, player: Player) -> Player:
    for user, number in ((filipa, "AB 12-34"), (player.user, "ab1234")):
        record_document(user=user, document_type=DocumentType.PASSPORT, number=number, at=NOON)
    return player


def _same_name_and_birth_date(filipa: User, player: Player) -> Player:
    User.objects.filter(pk=player.user_id).update(full_name=filipa.full_name.upper())
    for user in (filipa, player.user):
        record_person(user=User.objects.get(pk=user.pk), birth_date=BORN, country="PT", at=NOON)
    return player


def _same_bank_account(filipa: User, player: Player) -> Player:
    own = Player.objects.create(user=filipa, handle="filipa", created_at=NOON)
    set_payout_address(player=own, iban=IBAN, at=NOON)
    return player


@pytest.mark.parametrize("alike", [_same_login, _same_document, _same_name_and_birth_date, _same_bank_account])
def test_nobody_asks_for_or_decides_what_is_his_own(maria: Player, filipa: User, goncalo: User, alike: Any) -> None:
    asked_before = ask(filipa, maria, 5_00) if alike is not _same_login else None
    player = alike(filipa, maria)
    before = balance(maria)
    with pytest.raises(OwnBenefit):
        ask(filipa, player, 5_00)
    request = ask(goncalo, player, 5_00)
    for answer in (approve_request, refuse_request):
        with pytest.raises(OwnBenefit):
            answer(request_id=request.pk, user=filipa, reason="seen", at=LATER)
    assert FourEyesRequest.objects.get(pk=request.pk).state == "open"
    # What is found out about the maker only afterwards keeps it from being done.
    if asked_before is not None:
        with pytest.raises(ActRefused):
            approve(asked_before, goncalo)
    assert balance(maria) == before


def test_two_logins_of_one_person_are_no_two_people(maria: Player, filipa: User, goncalo: User) -> None:
    request = ask(filipa, maria, 5_00)
    for user in (filipa, goncalo):
        record_document(user=user, document_type=DocumentType.PASSPORT, number="X1", at=NOON)
    with pytest.raises(ActRefused):
        approve(request, goncalo)
    assert Person.objects.filter(user__in=(filipa, goncalo)).count() == 2
    assert balance(maria) == 100_00


# The request.


def test_a_transfer_names_the_request_that_decided_it(maria: Player, filipa: User, goncalo: User) -> None:
    request = approve(ask(filipa, maria, 5_00), goncalo)
    transfer = Transfer.objects.get(reason=Reason.ADJUSTMENT)
    row = DecidedTransfer.objects.get()
    assert (row.transfer, row.request, row.cause) == (transfer, request, "goodwill")
    hold_books()


def test_without_a_decided_request_nothing_is_moved(maria: Player, filipa: User, goncalo: User) -> None:
    opened, done = ask(filipa, maria, 5_00), approve(ask(filipa, maria, 5_00), goncalo)
    said: dict[str, Any] = {
        "player": maria, "direction": "credit", "amount_cents": 5_00, "cause": "goodwill", "reason": "r",
        "evidence": "e", "actor": f"staff:{filipa.pk}", "second_actor": f"staff:{goncalo.pk}", "at": LATER,
    }  # fmt: skip
    for wrong in (
        {"request_id": opened.pk},
        {"request_id": 0},
        {"request_id": done.pk, "second_actor": "staff:900000"},
    ):
        with pytest.raises(NotDecided):
            adjust_balance(**{**said, **wrong})
    # The same request once more, for the same or for another amount.
    for cents in (5_00, 7_00):
        with pytest.raises(NotDecided):
            adjust_balance(**{**said, "request_id": done.pk, "amount_cents": cents})
    assert balance(maria) == 105_00
