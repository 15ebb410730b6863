"""Races of what one of the staff may do in a day, on PostgreSQL: shown with the lock taken away, then gone."""

import time
from typing import Any

import pytest
from django.core.management import call_command

from roulette_site.common.four_eyes import approve_request, make_request
from roulette_site.common.models import FourEyesRequest
from roulette_site.common.roles import lay_roles
from tests.house import NOON, House, make_house
from tests.races.racing import at_once
from wallets.acts.money import ADJUST
from wallets.models import Player, Unit, User
from wallets.services import caps
from wallets.services.caps import CAPS_CENTS, AboveCap
from wallets.services.ledger import open_wallet
from wallets.services.people import add_staff

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
THREADS = 8
CENTS = 100_00
FITS = CAPS_CENTS["Finance"] // CENTS


@pytest.fixture
def house() -> House:
    lay_roles(at=NOON)
    return make_house()


def finance(name: str) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=["Finance"], at=NOON)


def ask(user: User, player: Player, number: int) -> FourEyesRequest:
    said = {"player": player.pk, "direction": "credit", "amount_cents": CENTS, "cause": "goodwill"}
    return make_request(
        act=ADJUST, arguments=said, user=user, reason=f"complaint {number}", evidence="a letter", at=NOON
    )


def approve_at_once(player: Player, name: str) -> list[object]:
    """Two ask, each within his day, and a third approves all of it at the same moment."""
    makers, decider = [finance(f"{name}-ana"), finance(f"{name}-rui")], finance(f"{name}-eva")
    asked = [ask(makers[number % 2], player, number).pk for number in range(THREADS)]
    return at_once(
        *[lambda pk=pk: approve_request(request_id=pk, user=decider, reason="seen", at=NOON) for pk in asked]
    )


def approved(answers: list[object]) -> int:
    return sum(isinstance(one, FourEyesRequest) for one in answers)


def test_eight_approvals_within_the_day_of_one_person(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    maria = house.player(0)
    answers = approve_at_once(maria, "kept")
    assert approved(answers) == FITS, answers
    assert sum(isinstance(one, AboveCap) for one in answers) == THREADS - FITS, answers
    assert open_wallet(player=maria, unit=Unit.EUR).balance_cents == FITS * CENTS
    call_command("verify")

    def left_without_lock(*, actor: str, part: Any, at: Any) -> int:
        left = caps.cap_of(actor) - caps._decided(actor, *caps._gaming_day(at))
        time.sleep(0.05)
        return left

    with monkeypatch.context() as patched:
        patched.setattr(caps, "left_cents", left_without_lock)
        assert approved(approve_at_once(house.player(0), "raced")) > FITS


def test_eight_requests_within_the_day_of_one_person(house: House) -> None:
    maria, maker = house.player(0), finance("maker")
    answers = at_once(*[lambda number=number: ask(maker, maria, number) for number in range(THREADS)])
    assert approved(answers) == FITS, answers
    assert sum(isinstance(one, AboveCap) for one in answers) == THREADS - FITS, answers
    assert FourEyesRequest.objects.count() == FITS
