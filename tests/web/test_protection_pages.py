"""The pages on which a player protects himself, without script, and the question after a stretch of play."""

import datetime as dt
import doctest
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from sessions_app.models import GameSession, RealityCheck
from sessions_app.templatetags import durations
from tables.models import Seat, Slip
from tests.house import House, PlayerAtTable, make_house
from wallets.models import Account, Exclusion, ExclusionEnd, Limit, LimitKind, LimitPeriod, Loosening
from wallets.protection import add_months
from wallets.services.exclusion import exclude_self
from wallets.services.limits import set_operator_limit, set_own_limit

from .pages import client_of, htmx, key

pytestmark = pytest.mark.django_db
LOSS_A_DAY = {"kind": "loss", "period": "day"}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    return house.seated()


@pytest.fixture
def client(maria: PlayerAtTable) -> Client:
    return client_of(maria.seat.player)


def test_the_examples_in_the_text_are_true() -> None:
    assert doctest.testmod(durations) == (0, 1)


@pytest.mark.parametrize("name", ["limits", "exclusion"])
def test_the_pages_are_for_whoever_is_logged_in(house: House, name: str) -> None:
    for method in ("get", "post"):
        answer = getattr(Client(), method)(reverse(name))
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, reverse("login"))


def test_a_limit_is_set_and_shown_with_what_is_used(client: Client, maria: PlayerAtTable) -> None:
    assert client.post(reverse("limits"), LOSS_A_DAY | {"value": "25.00"}).status_code == 302
    assert maria.wallet.loss_day_limit_cents == 25_00
    htmx(client, "bets", maria, spot="17", stake="5.00", **key())
    text = client.get(reverse("limits")).content.decode()
    assert "25.00" in text
    assert "5.00\xa0€ used" in text
    assert 'width="20"' in text


def test_a_looser_limit_waits_and_is_confirmed_on_the_page(client: Client, maria: PlayerAtTable) -> None:
    player = maria.seat.player
    day_before = timezone.now() - dt.timedelta(hours=25)
    loss = {"kind": LimitKind.LOSS, "period": LimitPeriod.DAY}
    set_own_limit(player=player, **loss, value=10_00, at=day_before)
    set_own_limit(player=player, **loss, value=20_00, at=day_before)
    waiting = Loosening.objects.get()
    address = reverse("confirm-limit", args=[waiting.pk])
    assert address in client.get(reverse("limits")).content.decode()
    assert client.post(address).status_code == 302
    assert maria.wallet.loss_day_limit_cents == 20_00
    client.post(reverse("limits"), LOSS_A_DAY | {"value": ""})
    early = Loosening.objects.latest("pk")
    text = client.get(reverse("limits")).content.decode()
    assert "To be lifted." in text
    assert reverse("confirm-limit", args=[early.pk]) not in text
    refused = client.post(reverse("confirm-limit", args=[early.pk]))
    assert refused.status_code == 409
    assert "a day after it was asked for" in refused.content.decode()
    stranger = client_of(maria.house.player())
    assert stranger.post(reverse("confirm-limit", args=[early.pk])).status_code == 409
    assert maria.wallet.loss_day_limit_cents == 20_00


def test_a_limit_of_the_house_is_shown_beside_the_own_one(client: Client, maria: PlayerAtTable) -> None:
    set_operator_limit(
        player=maria.seat.player, kind=LimitKind.SESSION_TIME, period=LimitPeriod.WEEK, value=90 * 60,
        reason="worried", actor="staff:900001", at=timezone.now(),
    )  # fmt: skip
    client.post(reverse("limits"), {"kind": "session_time", "period": "week", "value": "120"})
    text = client.get(reverse("limits")).content.decode()
    assert "Set by the house: 1 h 30 min" in text
    assert "worried" not in text
    assert 'value="120"' in text


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"kind": "loss", "period": "round", "value": "1"},
        {"kind": "luck", "period": "day", "value": "1"},
        LOSS_A_DAY | {"value": "1e3"},
        LOSS_A_DAY | {"value": "-1"},
        LOSS_A_DAY | {"value": "１２"},
        LOSS_A_DAY | {"value": "9" * 40},
        LOSS_A_DAY | {"value": ""},
        {"kind": "session_time", "period": "day", "value": "1.5"},
        {"kind": "session_time", "period": "day", "value": "999999"},
        {"kind": "reality_check", "period": "stretch", "value": "0"},
        {"kind": "reality_check", "period": "stretch", "value": ""},
    ],
)
def test_what_is_no_limit_is_said_on_the_page(client: Client, maria: PlayerAtTable, fields: dict[str, str]) -> None:
    answer = client.post(reverse("limits"), fields)
    assert answer.status_code == 409
    assert 'class="refusal"' in answer.content.decode()
    assert not Limit.objects.exists()


def test_a_break_begins_at_once_and_ends_the_session(client: Client, maria: PlayerAtTable) -> None:
    refused = client.post(reverse("exclusion"), {"term": "7 days"})
    assert refused.status_code == 409
    assert "Say that you are sure" in refused.content.decode()
    assert client.post(reverse("exclusion"), {"term": "7 days", "sure": "yes"}).status_code == 302
    assert GameSession.objects.get(pk=maria.game_session.pk).end_basis == "exclusion"
    text = client.get(reverse("exclusion")).content.decode()
    assert "You are excluded until" in text
    assert "Ask for an early end" not in text
    entering = client.post(reverse("enter", args=[maria.house.table.slug]))
    assert entering.status_code == 409
    assert "You are excluded from the games at present." in entering.content.decode()


def test_who_is_excluded_for_long_may_ask_for_an_early_end_once(client: Client, maria: PlayerAtTable) -> None:
    client.post(reverse("exclusion"), {"term": "without end", "sure": "yes"})
    text = client.get(reverse("exclusion")).content.decode()
    assert "You are excluded without end." in text
    assert "Ask for an early end" in text
    assert client.post(reverse("exclusion-end")).status_code == 302
    assert ExclusionEnd.objects.count() == 1
    assert client.post(reverse("exclusion-end")).status_code == 409
    assert Account.objects.get(pk=maria.wallet.pk).excluded_until > timezone.now() + dt.timedelta(days=88)


def test_an_early_end_is_offered_with_its_day_and_only_where_it_would_be_taken(
    client: Client, maria: PlayerAtTable
) -> None:
    """Three months are the least: whoever chose them has nothing to ask for, and is told until when."""
    player, now = maria.game_session.player, timezone.now()
    exclude_self(player=player, term="3 months", at=now)
    text = client.get(reverse("exclusion")).content.decode()
    assert "Ask for an early end" not in text
    assert "and no sooner" in text
    assert client.post(reverse("exclusion-end")).status_code == 409
    exclude_self(player=player, term="1 year", at=now)
    text = client.get(reverse("exclusion")).content.decode()
    day = date_format(add_months(now, 3).astimezone(ZoneInfo(player.time_zone)), "j F Y")
    assert "Ask for an early end" in text
    assert f"Asked for now, it comes on {day}" in text
    assert client.post(reverse("exclusion-end")).status_code == 302
    assert ExclusionEnd.objects.get().exclusion.term == "1 year"


@pytest.mark.parametrize("term", ["", "1 month", "x" * 4000])
def test_no_other_term_is_taken(client: Client, maria: PlayerAtTable, term: str) -> None:
    assert client.post(reverse("exclusion"), {"term": term, "sure": "yes"}).status_code == 409
    assert not Exclusion.objects.exists()


class TestRealityCheck:
    @pytest.fixture
    def asked(self, maria: PlayerAtTable) -> PlayerAtTable:
        Seat.objects.filter(pk=maria.seat.pk).update(reality_check_at=timezone.now() - dt.timedelta(minutes=1))
        return maria

    def test_the_page_asks_with_the_money_of_the_session(self, client: Client, asked: PlayerAtTable) -> None:
        text = client.get(reverse("play", args=[asked.house.table.slug])).content.decode()
        for said in (
            "Do you go on?",
            "You have been at this table for",
            reverse("go-on", args=[asked.house.table.slug]),
        ):
            assert said in text
        refused = htmx(client, "bets", asked, spot="17", stake="1.00", **key()).content.decode()
        assert "say first whether you go on" in refused
        assert "Do you go on?" in refused
        assert not Slip.objects.exists()

    def test_who_goes_on_is_asked_again_after_another_stretch(self, client: Client, asked: PlayerAtTable) -> None:
        text = htmx(client, "go-on", asked).content.decode()
        assert "Do you go on?" not in text
        assert RealityCheck.objects.count() == 1
        htmx(client, "bets", asked, spot="17", stake="1.00", **key())
        assert Slip.objects.count() == 1
        again = htmx(client, "go-on", asked).content.decode()
        assert "You are not asked anything at present." in again

    def test_without_script_it_is_a_form(self, client: Client, asked: PlayerAtTable) -> None:
        answer = client.post(reverse("go-on", args=[asked.house.table.slug]))
        assert (answer.status_code, answer["Location"]) == (302, reverse("play", args=[asked.house.table.slug]))
