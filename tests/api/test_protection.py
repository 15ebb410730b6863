"""Limits and exclusion through REST."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from roulette_site.common.models import AuditEntry
from sessions_app.models import GameSession
from tables.models import Seat
from tests.house import House, PlayerAtTable, make_house
from wallets.models import ApiKey, Exclusion, Limit, LimitKind, LimitPeriod, Loosening, Scope
from wallets.services.limits import set_own_limit

from .caller import Caller, make_key
from .problems import problem

pytestmark = pytest.mark.django_db
LOSS_A_DAY = {"kind": "loss", "period": "day"}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    return house.seated(handle="maria")


@pytest.fixture
def caller() -> Caller:
    return Caller(make_key(Scope.PLAY, Scope.READ))


def line(lines: list[dict[str, Any]], kind: str, period: str) -> dict[str, Any]:
    return next(one for one in lines if (one["kind"], one["period"]) == (kind, period))


def test_a_tighter_limit_holds_at_once_and_a_looser_one_waits(caller: Caller, maria: PlayerAtTable) -> None:
    created = caller.post("players/maria/limits", LOSS_A_DAY | {"value": "10.00"})
    assert (created.status_code, created.json()["value"], created.json()["waiting"]) == (201, "10.00", None)
    waits = caller.post("players/maria/limits", LOSS_A_DAY | {"value": None})
    assert (waits.status_code, waits.json()["value"], waits.json()["waiting"]["value"]) == (202, "10.00", None)
    loosening = waits.json()["waiting"]["id"]
    early = caller.post(f"players/maria/limits/{loosening}/confirm")
    problem(early, 409, "too_early_to_confirm")
    shown = line(caller.get("players/maria/limits").json(), "loss", "day")
    assert (shown["own"], shown["operators"], shown["used"]) == ("10.00", None, "0.00")


def test_time_is_written_in_seconds(caller: Caller, maria: PlayerAtTable) -> None:
    body = {"kind": "session_time", "period": "day", "value": 5400}
    assert caller.post("players/maria/limits", body).json()["value"] == 5400
    assert line(caller.get("players/maria/limits").json(), "reality_check", "stretch")["value"] == 3600


def test_the_players_word_is_taken_after_a_day(caller: Caller, maria: PlayerAtTable) -> None:
    before = timezone.now() - dt.timedelta(hours=25)
    for value in (10_00, 20_00):
        set_own_limit(player=maria.seat.player, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=value, at=before)
    address = f"players/maria/limits/{Loosening.objects.get().pk}/confirm"
    assert caller.post(address).json()["value"] == "20.00"
    assert caller.post(address).status_code == 200
    maria.house.player(handle="joao")
    problem(caller.post(address.replace("maria", "joao")), 409, "nothing_to_confirm")


@pytest.mark.parametrize(
    "body",
    [
        {},
        LOSS_A_DAY | {"value": -1},
        LOSS_A_DAY | {"value": "ten"},
        LOSS_A_DAY | {"value": "-1.00"},
        LOSS_A_DAY | {"value": 1000},
        LOSS_A_DAY | {"value": True},
        {"kind": "session_time", "period": "day", "value": "10.00"},
        {"kind": "session_time", "period": "day", "value": 10**12},
        LOSS_A_DAY | {"value": 10**30},
        LOSS_A_DAY | {"value": 1.5},
        LOSS_A_DAY | {"value": "1.00", "side": "operator"},
        {"kind": "luck", "period": "day", "value": "1.00"},
        {"kind": "loss", "period": "round", "value": "1.00"},
    ],
)
def test_what_is_no_limit_is_refused(caller: Caller, maria: PlayerAtTable, body: dict[str, Any]) -> None:
    code = "invalid_limit" if body.get("period") == "round" else "invalid_request"
    problem(caller.post("players/maria/limits", body), 400, code)
    assert not Limit.objects.exists()


def test_a_player_excludes_himself_and_plays_no_more(caller: Caller, maria: PlayerAtTable) -> None:
    problem(caller.post("players/maria/exclusions", {"term": "a while"}), 400, "invalid_request")
    assert not Exclusion.objects.exists()
    excluded = caller.post("players/maria/exclusions", {"term": "3 months"})
    assert (excluded.status_code, excluded.json()["kind"]) == (201, "self")
    assert GameSession.objects.get().end_basis == "exclusion"
    refused = caller.post("sessions", {"player": "maria", "table": maria.house.table.slug})
    problem(refused, 409, "not_admitted")
    assert refused.json()["reasons"] == ["excluded"]


def test_the_trail_names_the_key_through_which_the_player_acted(caller: Caller, maria: PlayerAtTable) -> None:
    """His own word is what the key's holder says it is: whose key it was must be found again."""
    player = maria.seat.player
    before = timezone.now() - dt.timedelta(hours=25)
    for value in (10_00, 20_00):
        set_own_limit(player=player, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=value, at=before)
    last = AuditEntry.objects.latest("id").pk
    assert caller.post(f"players/maria/limits/{Loosening.objects.get().pk}/confirm").status_code == 200
    assert caller.post("players/maria/limits", LOSS_A_DAY | {"value": "15.00"}).status_code == 201
    assert caller.post("players/maria/limits", LOSS_A_DAY | {"value": "30.00"}).status_code == 202
    offer = {"occasion": "first_deposit", "limits": [{"kind": "deposit", "period": "day", "value": "50.00"}]}
    assert caller.post("players/maria/limits-offers", offer).status_code == 201
    assert caller.post("players/maria/exclusions", {"term": "24 hours"}).status_code == 201
    acts = ("player_limit_set", "loosening_asked", "player_excluded")
    entries = AuditEntry.objects.filter(pk__gt=last, act__in=acts)
    assert {entry.act for entry in entries} == set(acts)
    for entry in entries:
        assert entry.after is not None
        assert (entry.actor, entry.after["via"]) == (f"player:{player.pk}", f"api:{ApiKey.objects.get().prefix}")
    # By himself he needs no key.
    own = AuditEntry.objects.filter(pk__lte=last, act="loosening_asked").get()
    assert own.after is not None
    assert "via" not in own.after


def test_a_session_says_when_the_player_is_asked_and_takes_his_word(caller: Caller, maria: PlayerAtTable) -> None:
    address = f"sessions/{maria.game_session.pk}"
    assert caller.get(address).json()["reality_check_at"] is None
    problem(caller.post(f"{address}/reality-check"), 409, "no_reality_check_due")
    Seat.objects.filter(pk=maria.seat.pk).update(reality_check_at=timezone.now() - dt.timedelta(minutes=1))
    bets = {"bets": [{"type": "red", "stake": "1.00"}]}
    refused = caller.post(f"{address}/bets", bets, **{"Idempotency-Key": "before-the-word"})
    assert [one["reason"] for one in problem(refused, 409, "slip_refused")["breaches"]] == ["reality_check_due"]
    answered = caller.post(f"{address}/reality-check")
    assert answered.status_code == 200
    assert dt.datetime.fromisoformat(answered.json()["reality_check_at"]) > timezone.now()
    assert caller.post(f"{address}/bets", bets, **{"Idempotency-Key": "after-the-word"}).status_code == 201


@pytest.mark.parametrize(
    ("method", "address", "scope"),
    [
        ("get", "players/maria/limits", Scope.PLAY),
        ("post", "players/maria/limits", Scope.READ),
        ("post", "players/maria/limits/1/confirm", Scope.READ),
        ("post", "players/maria/exclusions", Scope.READ),
        ("post", "sessions/1/reality-check", Scope.READ),
    ],
)
def test_every_call_needs_its_scope(maria: PlayerAtTable, method: str, address: str, scope: Scope) -> None:
    problem(getattr(Caller(), method)(address), 401, "not_authenticated")
    problem(getattr(Caller(make_key(scope)), method)(address), 403, "permission_denied")


@pytest.mark.parametrize("address", ["limits", "exclusions", "limits/1/confirm"])
def test_nobody_by_that_name_is_404(caller: Caller, address: str) -> None:
    problem(caller.post(f"players/nobody/{address}", LOSS_A_DAY | {"value": "1.00"}), 404, "not_found")
