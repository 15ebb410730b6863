"""Requests that several people answer at one moment."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, connection

from roulette_site.common import four_eyes, guards
from roulette_site.common.four_eyes import (
    AskedAlready,
    Decision,
    refuse_request,
)
from roulette_site.common.models import AuditEntry, FourEyesRequest
from tests.races.racing import at_once
from wallets.models import User

from .licence import ACT, LATER, approve, ask, member

pytestmark = pytest.mark.django_db(transaction=True)


def _race(monkeypatch: pytest.MonkeyPatch) -> tuple[list[object], int]:
    """Let two people decide one request at once; what they were answered, and how often the act was done."""
    done: list[str] = []

    def run(arguments: four_eyes.Arguments, decision: Decision) -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT pg_sleep(0.1)")
        done.append(decision.decider)

    monkeypatch.setitem(four_eyes._acts, "set_licence", replace(ACT, run=run))
    filipa, others = member("maker", "Finance"), [member(f"decider{n}", "Finance") for n in range(4)]
    request = ask(filipa)
    results = at_once(*(lambda user=user: approve(request, user) for user in others))  # type: ignore[misc]
    assert FourEyesRequest.objects.get(pk=request.pk).state == "approved"
    return results, len(done)


def test_a_form_that_is_sent_twice_asks_once(filipa: User, goncalo: User) -> None:
    first = ask(filipa, reason="by letter")
    for _ in range(2):
        with pytest.raises(AskedAlready) as refused:
            ask(filipa, reason="by letter")
    assert refused.value.details["request"] == first.pk
    # Another person's wish, another one of his, and the same once it was answered are requests of their own.
    ask(goncalo, reason="by letter")
    ask(filipa, new="L-3", reason="by letter")
    refuse_request(request_id=first.pk, user=goncalo, reason="no", at=LATER)
    assert ask(filipa, reason="by letter", at=LATER).pk != first.pk
    assert FourEyesRequest.objects.filter(maker=f"staff:{filipa.pk}").count() == 3


@pytest.fixture
def _without_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked = type(FourEyesRequest.objects.all())
    monkeypatch.setattr(unlocked, "select_for_update", lambda self, **more: self)


@pytest.mark.postgresql
@pytest.mark.usefixtures("_without_lock")
def test_deciders_at_once_would_run_the_act_twice_without_lock_and_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    guards.lift(connection)
    try:
        _, done = _race(monkeypatch)
    finally:
        guards.install(connection)
    assert done > 1


@pytest.mark.postgresql
@pytest.mark.usefixtures("_without_lock")
def test_where_the_lock_is_forgotten_the_guard_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    results, done = _race(monkeypatch)
    assert done == 1
    assert sum(isinstance(one, IntegrityError) for one in results) == 3


def test_deciders_at_once_run_the_act_once(monkeypatch: pytest.MonkeyPatch) -> None:
    results, done = _race(monkeypatch)
    assert done == 1
    assert sorted(type(one).__name__ for one in results) == ["FourEyesRequest", *["RequestDecided"] * 3]
    assert AuditEntry.objects.filter(act="request_approved").count() == 1
