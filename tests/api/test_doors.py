"""Who comes in through REST: keys, scopes, methods and addresses."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from tests.house import bet
from wallets.models import Scope

from .caller import Caller, make_key
from .play import Table
from .problems import problem

pytestmark = pytest.mark.django_db

Act = Callable[[Caller], Any]
READS: dict[str, Act] = {
    "tables": lambda caller: caller.get("tables"),
    "session": lambda caller: caller.get("sessions/1"),
    "statement": lambda caller: caller.get("sessions/1/statement"),
}
PLAYS: dict[str, Act] = {
    "start": lambda caller: caller.post("sessions", {"player": "maria", "table": "solo"}),
    "bets": lambda caller: caller.post("sessions/1/bets", {"bets": [bet("red")]}, **{"Idempotency-Key": "key-00001"}),
    "spin": lambda caller: caller.post("sessions/1/spin"),
    "end": lambda caller: caller.post("sessions/1/end"),
}
ACTS = READS | PLAYS


def refused_at_the_door(response: Any) -> None:
    if response.status_code == 401:
        problem(response, 401, "not_authenticated")
        # HTTP wants it there: it says how to come in.
        assert "WWW-Authenticate" in response
    else:
        problem(response, 403, "permission_denied")


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_nobody_comes_in_without_a_key(act: Act) -> None:
    refused_at_the_door(act(Caller()))


@pytest.mark.parametrize("key", ["nonsense", "abcdefgh.nonsense", "abcdefgh.", ".", "x" * 5_000, "\u00e9.\u00e9"])
def test_nobody_comes_in_with_a_key_that_there_is_not(key: str) -> None:
    refused_at_the_door(ACTS["tables"](Caller(key)))


def test_a_key_that_was_revoked_or_has_run_out_opens_nothing() -> None:
    refused_at_the_door(ACTS["tables"](Caller(make_key(Scope.READ, revoked=True))))
    yesterday = timezone.now() - dt.timedelta(days=1)
    refused_at_the_door(ACTS["tables"](Caller(make_key(Scope.READ, expiry_date=yesterday))))


@pytest.mark.parametrize("act", READS.values(), ids=READS)
def test_reading_needs_the_scope_to_read(act: Act) -> None:
    problem(act(Caller(make_key(Scope.PLAY))), 403, "permission_denied")
    problem(act(Caller(make_key())), 403, "permission_denied")
    assert act(Caller(make_key(Scope.READ))).status_code in (200, 404)


@pytest.mark.parametrize("act", PLAYS.values(), ids=PLAYS)
def test_playing_needs_the_scope_to_play(act: Act) -> None:
    problem(act(Caller(make_key(Scope.READ))), 403, "permission_denied")
    problem(act(Caller(make_key())), 403, "permission_denied")
    problem(act(Caller(make_key(Scope.PLAY))), 404, "not_found")


def test_another_method_is_a_problem(caller: Caller, table: Table) -> None:
    problem(caller.get("sessions"), 405, "method_not_allowed")
    for act in ("bets", "spin", "end"):
        problem(caller.get(f"sessions/{table.session}/{act}"), 405, "method_not_allowed")
    problem(caller.post("tables"), 405, "method_not_allowed")


def test_an_address_that_there_is_not_is_a_problem_too(caller: Caller) -> None:
    problem(caller.get("nothing"), 404, "not_found")


def test_the_schema_and_its_page_are_free(caller: Caller) -> None:
    assert Caller().client.get("/api/schema/").status_code == 200
    assert Caller().client.get("/api/docs/").status_code == 200
