"""Limits are offered at registration and before the first deposit: filled in, or passed over in one act."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.house import NOON, make_house
from wallets.models import (
    CashRequest,
    Consent,
    Limit,
    LimitKind,
    LimitPeriod,
    LimitsOffer,
    Loosening,
    OfferOccasion,
    Player,
)
from wallets.services.closing import begin_closing
from wallets.services.limits import set_own_limit

from .pages import client_of, key, token_in

pytestmark = pytest.mark.django_db
AT_FIRST_DEPOSIT = "/account/limits/offer/first-deposit/"
AT_REGISTRATION = "/account/limits/offer/registration/"


@pytest.fixture
def maria() -> Player:
    return make_house().player(handle="maria")


def register(player: Player) -> None:
    """As if the player had registered himself."""
    Consent.objects.create(user=player.user, text="terms", version="1", at=NOON)
    player.user.set_password("a long and odd sentence 17")
    player.user.save()


def own_limits(player: Player) -> dict[str, int | None]:
    return {f"{one.kind}-{one.period}": one.value for one in Limit.objects.filter(player=player)}


def test_nothing_is_filled_in_beforehand_and_no_script_is_needed(maria: Player) -> None:
    page = client_of(maria).get(AT_FIRST_DEPOSIT).content.decode()
    assert "<script" not in page
    assert page.count('value=""') == page.count('autocomplete="off"') == 10
    for name in ("deposit-day", "deposit-week", "deposit-month", "loss-day", "stake-round", "session_time-month"):
        assert f'name="{name}"' in page


def test_before_the_first_deposit_limits_are_offered_and_nothing_is_paid_in(maria: Player) -> None:
    client = client_of(maria)
    page = client.get(reverse("cash")).content.decode()
    assert AT_FIRST_DEPOSIT in page
    assert 'id="deposit-form"' not in page
    assert 'id="withdrawal-form"' in page
    for headers, status in (({}, 302), ({"HX-Request": "true"}, 200)):
        answer = client.post(reverse("deposit"), {"amount": "50.00", "provider": "bank", **key()}, headers=headers)
        assert answer.status_code == status
        assert answer.get("Location") or answer["HX-Redirect"] == AT_FIRST_DEPOSIT
    assert CashRequest.objects.count() == 0
    answer = client.post(AT_FIRST_DEPOSIT, {"skip": "yes", "deposit-day": "10"})
    assert answer["Location"] == reverse("cash")
    assert own_limits(maria) == {}
    assert LimitsOffer.objects.get().limits_set == 0
    assert 'id="deposit-form"' in client.get(reverse("cash")).content.decode()
    client.post(reverse("deposit"), {"amount": "50.00", "provider": "bank", **key()})
    assert CashRequest.objects.count() == 1


def test_who_may_not_pay_in_is_told_that_before_limits_are_offered(maria: Player) -> None:
    begin_closing(player=maria, reason="", actor=f"player:{maria.pk}", at=NOON)
    for headers in ({}, {"HX-Request": "true"}):
        form = {"amount": "50.00", "provider": "bank", **key()}
        answer = client_of(maria).post(reverse("deposit"), form, headers=headers)
        assert answer.status_code == 200
        assert "This account is being closed: nothing is paid in any more." in answer.content.decode()


def test_what_is_chosen_holds_and_is_not_asked_again(maria: Player) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(maria.user)
    token = token_in(client.get(AT_FIRST_DEPOSIT).content.decode())
    chosen = {
        "deposit-week": "100",
        "loss-day": "12.50",
        "stake-round": "2",
        "session_time-day": "90",
        "loss-month": "",
    }
    assert client.post(AT_FIRST_DEPOSIT, {"csrfmiddlewaretoken": token, **chosen}).status_code == 302
    wanted = {"deposit-week": 100_00, "loss-day": 12_50, "stake-round": 2_00, "session_time-day": 90 * 60}
    assert own_limits(maria) == wanted
    assert [(one.occasion, one.limits_set) for one in LimitsOffer.objects.all()] == [("first_deposit", 4)]
    assert client.get(AT_FIRST_DEPOSIT)["Location"] == reverse("cash")
    client.post(AT_FIRST_DEPOSIT, {"csrfmiddlewaretoken": token, "loss-day": "1"})
    assert own_limits(maria) == wanted


@pytest.mark.parametrize(
    "bad", [{"loss-day": "-1"}, {"loss-day": "1e9"}, {"session_time-day": "1.5"}, {"deposit-month": "9" * 40},
            {"stake-round": "ten"}, {"session_time-day": "99999999"}],
)  # fmt: skip
def test_one_limit_that_is_none_and_nothing_is_set(maria: Player, bad: dict[str, str]) -> None:
    client = client_of(maria)
    answer = client.post(AT_FIRST_DEPOSIT, {"deposit-day": "10", **bad})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'aria-describedby="fault-{next(iter(bad))}"' in page
    assert 'value="10"' in page
    assert (own_limits(maria), LimitsOffer.objects.count()) == ({}, 0)


def test_what_was_set_before_is_not_loosened_here(maria: Player) -> None:
    set_own_limit(player=maria, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=5_00, at=NOON)
    client = client_of(maria)
    assert 'name="loss-day"' not in client.get(AT_FIRST_DEPOSIT).content.decode()
    client.post(AT_FIRST_DEPOSIT, {"loss-day": "500"})
    assert own_limits(maria) == {"loss-day": 5_00}
    assert Loosening.objects.count() == 0


def log_in(player: Player, **more: str) -> Any:
    typed = {"username": player.user.email, "password": "a long and odd sentence 17"}
    return Client().post(reverse("login"), {**typed, **more})


def test_who_has_registered_is_offered_limits_at_the_first_login(maria: Player) -> None:
    register(maria)
    assert log_in(maria)["Location"] == AT_REGISTRATION
    # Who was going elsewhere gets there, and is asked the next time.
    assert log_in(maria, next="/account/")["Location"] == "/account/"
    client = client_of(maria)
    assert "Before you play" in client.get(AT_REGISTRATION).content.decode()
    assert client.post(AT_REGISTRATION, {"skip": "yes"})["Location"] == reverse("lobby")
    assert log_in(maria)["Location"] == reverse("lobby")
    # The first deposit is another occasion.
    assert AT_FIRST_DEPOSIT in client_of(maria).get(reverse("cash")).content.decode()


def test_who_was_added_by_the_house_goes_to_the_tables(maria: Player) -> None:
    maria.user.set_password("a long and odd sentence 17")
    maria.user.save()
    assert log_in(maria)["Location"] == reverse("lobby")
    assert client_of(maria).get(AT_REGISTRATION)["Location"] == reverse("lobby")


def test_there_are_two_occasions_and_no_others(maria: Player) -> None:
    assert client_of(maria).get("/account/limits/offer/birthday/").status_code == 404
    assert Client().get(AT_FIRST_DEPOSIT).status_code == 302
    assert set(OfferOccasion.values) == {"registration", "first_deposit"}
