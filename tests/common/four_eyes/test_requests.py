"""Requests that one person makes and another decides: who may, what is refused, and that the act is done once."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from roulette_site.common import four_eyes
from roulette_site.common.audit import audited, record, trail_of
from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import (
    ActRefused,
    Decision,
    MakerDecides,
    NotAskedFor,
    NotPermitted,
    RequestDecided,
    RequestExpired,
    expire_requests,
    requests_seen_by,
    requests_to_decide,
)
from roulette_site.common.models import AuditEntry, FourEyesRequest, Operator
from roulette_site.common.reasons import ReasonNotUsable
from roulette_site.common.sealer import seal_all
from roulette_site.common.tasks import expire_requests as expire_task
from tests.house import NOON
from wallets.models import User

from .licence import (
    ACT,
    DAY,
    LATER,
    AboveCap,
    approve,
    ask,
    licence,
    member,
    nothing_changes,
    refuse,
    set_licence,
    steps,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_asks_another_approves_and_the_act_is_done(filipa: User, goncalo: User) -> None:
    request = ask(filipa, evidence="letter 12 of the regulator")
    assert (request.state, licence()) == ("open", "TEST")
    assert (request.maker, request.made_at, request.expires_at) == (f"staff:{filipa.pk}", NOON, NOON + DAY)
    approved = approve(request, goncalo)
    assert licence() == "L-2"
    assert (approved.state, approved.decider, approved.decided_at) == ("approved", f"staff:{goncalo.pk}", LATER)
    assert steps(request) == [("request_made", f"staff:{filipa.pk}"), ("request_approved", f"staff:{goncalo.pk}")]
    decision = trail_of("request", request.pk)[0]
    # Both persons stand in the trail of the decision, as ids.
    assert (decision.after["maker"], decision.after["decider"]) == (approved.maker, approved.decider)  # type: ignore[index]
    assert decision.reason == "I saw the letter"
    done = AuditEntry.objects.get(act="licence_set")
    assert (done.actor, done.reason) == (f"staff:{goncalo.pk}", "the new one came, 0")
    seal_all(everything=True)
    call_command("verify", stdout=StringIO())


def test_what_nobody_has_asked_for_is_not_approved(filipa: User, goncalo: User) -> None:
    """A row that somebody put in beside the services, in the name of one who may ask, or one that says other things."""
    asked = ask(filipa)
    told = {
        name: getattr(asked, name)
        for name in ("act", "arguments", "maker", "reason", "evidence", "made_at", "expires_at")
    }
    forged = FourEyesRequest.objects.create(**told)
    record_of_another = FourEyesRequest.objects.create(**told | {"arguments": {"old": "TEST", "new": "L-3"}})
    with transaction.atomic():
        record(
            act="request_made", actor=asked.maker, subject=("request", record_of_another.pk), at=NOON,
            after={"act": asked.act, "arguments": dict(asked.arguments)},
        )  # fmt: skip
    for request in (forged, record_of_another):
        with nothing_changes(request), pytest.raises(NotAskedFor):
            approve(request, goncalo)
    # Such a one is got rid of.
    refuse(forged, goncalo)
    said = [f"request {one.pk}: no entry says that {one.maker} has asked for it" for one in (forged, record_of_another)]
    assert list(four_eyes.find_unrecorded()) == said
    approve(asked, goncalo)
    assert list(four_eyes.find_unrecorded()) == said


def test_a_refusal_does_nothing_but_say_so(filipa: User, goncalo: User) -> None:
    request = ask(filipa)
    refused = refuse(request, goncalo)
    assert (refused.state, licence()) == ("refused", "TEST")
    assert steps(request)[-1] == ("request_refused", f"staff:{goncalo.pk}")


@pytest.mark.parametrize("answer", [approve, refuse])
def test_the_maker_never_decides(filipa: User, answer: Callable[..., object]) -> None:
    request = ask(filipa)
    with nothing_changes(request), pytest.raises(MakerDecides):
        answer(request, filipa)


@pytest.mark.parametrize("answer", [approve, refuse])
def test_not_even_as_a_superuser(answer: Callable[..., object]) -> None:
    boss = member("boss", is_superuser=True)
    request = ask(boss)
    with nothing_changes(request), pytest.raises(MakerDecides):
        answer(request, boss)
    other = member("other", is_superuser=True)
    assert answer(request, other)


def test_the_database_refuses_the_maker_as_well(filipa: User) -> None:
    request = ask(filipa)
    decision = {"state": "approved", "decision_reason": "x", "decided_at": LATER}
    with nothing_changes(request):
        for wrong in (
            decision | {"decider": request.maker},
            {"state": "approved"},
            decision | {"decider": None},
            {"decider": "staff:99"},
            decision | {"decider": "staff:99", "decided_at": request.expires_at},
            {"state": "withdrawn"},
            {"maker": "staff:99"},
            {"arguments": {"old": "TEST", "new": "L-9"}},
            {"expires_at": LATER},
            {"reason": "another"},
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                FourEyesRequest.objects.filter(pk=request.pk).update(**wrong)
        with pytest.raises(IntegrityError), transaction.atomic():
            FourEyesRequest.objects.filter(pk=request.pk)._raw_delete("default")


@pytest.mark.parametrize("state", ["open", "approved", "refused", "expired"])
def test_an_answered_request_stays_as_it_was_answered(filipa: User, goncalo: User, state: str) -> None:
    approved, refused, expired = ask(filipa), ask(filipa), ask(filipa, at=NOON - 2 * DAY)
    approve(approved, goncalo)
    refuse(refused, goncalo)
    expire_requests(at=NOON)
    for request in (approved, refused, expired):
        request.refresh_from_db()
        if request.state == state:
            continue
        with pytest.raises(IntegrityError), transaction.atomic():
            FourEyesRequest.objects.filter(pk=request.pk).update(state=state)


@pytest.mark.parametrize("role", ["Floor manager", "Compliance", "Support", "Auditor", "Regulator", "Administrator"])
def test_other_roles_neither_ask_nor_decide(filipa: User, role: str) -> None:
    other = member("other", role)
    request = ask(filipa)
    with nothing_changes(request):
        for answer in (approve, refuse):
            with pytest.raises(NotPermitted):
                answer(request, other)
        with pytest.raises(NotPermitted):
            ask(other)


def test_who_was_let_go_neither_asks_nor_decides(filipa: User) -> None:
    request = ask(filipa)
    gone = member("gone", "Finance", is_active=False)
    with nothing_changes(request):
        with pytest.raises(NotPermitted):
            approve(request, gone)
        with pytest.raises(NotPermitted):
            ask(gone)


@pytest.mark.parametrize("first", [approve, refuse])
@pytest.mark.parametrize("second", [approve, refuse])
def test_a_request_is_answered_once(filipa: User, goncalo: User, first: Any, second: Any) -> None:
    request = ask(filipa)
    first(request, goncalo)
    with nothing_changes(request), pytest.raises(RequestDecided):
        second(request, goncalo)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "see maria@test.example", "a\0b"])
def test_an_answer_needs_a_reason_that_can_stay(filipa: User, goncalo: User, reason: str) -> None:
    request = ask(filipa)
    with nothing_changes(request):
        for answer in (approve, refuse):
            with pytest.raises(ReasonNotUsable):
                answer(request, goncalo, reason=reason)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"act": "nothing"}, "unknown_act"),
        ({"act": ""}, "unknown_act"),
        ({"reason": " "}, "reason_missing"),
        ({"evidence": "maria@test.example"}, "reason_not_usable"),
        ({"arguments": {"old": "TEST", "new": ""}}, "licence_stands"),
        ({"arguments": {"old": "TEST", "new": 1.5}}, "arguments_not_usable"),
        ({"arguments": {"old": "TEST", "new": ["x"]}}, "arguments_not_usable"),
        ({"arguments": {"old": "TEST", "new": 2**53}}, "arguments_not_usable"),
        ({"arguments": {"old": "a\0b", "new": "x"}}, "arguments_not_usable"),
        ({"arguments": {"old": "x" * 501, "new": "x"}}, "arguments_not_usable"),
        ({"arguments": {"a b": "x", "new": "x"}}, "arguments_not_usable"),
        ({"arguments": dict.fromkeys((f"a{n}" for n in range(21)), 1)}, "arguments_not_usable"),
        ({"arguments": {"old": "TEST", "new": "L" * 9}}, "above_cap"),
    ],
)
def test_a_request_that_cannot_be_is_refused(filipa: User, wrong: dict[str, Any], code: str) -> None:
    before = FourEyesRequest.objects.count(), AuditEntry.objects.count()
    with pytest.raises(RuleBroken) as refusal:
        ask(filipa, **wrong)
    assert refusal.value.code == code
    assert (FourEyesRequest.objects.count(), AuditEntry.objects.count()) == before


def test_the_decider_has_a_cap_too(goncalo: User) -> None:
    both = member("boss", "Administrator", "Finance")
    request = ask(both, new="L" * 9)
    with nothing_changes(request), pytest.raises(AboveCap):
        approve(request, goncalo)


def test_conditions_are_checked_again_and_a_failure_leaves_the_request_open(filipa: User, goncalo: User) -> None:
    first, second = ask(filipa), ask(filipa, new="L-3")
    approve(first, goncalo)
    with pytest.raises(ActRefused, match=r"The licence is L-2\."):
        approve(second, goncalo)
    second.refresh_from_db()
    assert (second.state, second.decider, licence()) == ("open", None, "L-2")
    failed = trail_of("request", second.pk)[0]
    assert (failed.act, failed.actor, failed.after) == (
        "request_failed",
        f"staff:{goncalo.pk}",
        {"code": "licence_stands"},
    )
    assert AuditEntry.objects.filter(act="licence_set").count() == 1
    # Once its condition holds again it can be done.
    with audited():
        Operator.objects.update(licence="TEST")
        record(act="licence_set", actor="system", subject=("operator", 1), at=NOON)
    approve(second, goncalo)
    assert licence() == "L-3"


def test_an_act_that_breaks_leaves_nothing(filipa: User, goncalo: User, monkeypatch: pytest.MonkeyPatch) -> None:
    request = ask(filipa)

    def half(arguments: four_eyes.Arguments, decision: Decision) -> None:
        set_licence(arguments, decision)
        raise RuntimeError("in its middle")

    monkeypatch.setitem(four_eyes._acts, "set_licence", replace(ACT, run=half))
    with nothing_changes(request), pytest.raises(RuntimeError):
        approve(request, goncalo)


@pytest.mark.parametrize("answer", [approve, refuse])
def test_a_request_expires_at_its_instant(filipa: User, goncalo: User, answer: Any) -> None:
    in_time, late = ask(filipa), ask(filipa)
    answer(in_time, goncalo, at=in_time.expires_at - dt.timedelta(microseconds=1))
    licence_then = licence()
    with pytest.raises(RequestExpired):
        answer(late, goncalo, at=late.expires_at)
    late.refresh_from_db()
    assert (late.state, late.decider, licence()) == ("expired", None, licence_then)
    assert steps(late)[-1] == ("request_expired", "system")
    with nothing_changes(late), pytest.raises(RequestDecided):
        answer(late, goncalo)


def test_the_pass_over_what_is_overdue(filipa: User, goncalo: User) -> None:
    old, answered, fresh = ask(filipa, at=NOON - DAY), ask(filipa, at=NOON - DAY), ask(filipa)
    refuse(answered, goncalo, at=NOON - dt.timedelta(hours=1))
    assert expire_requests(at=NOON) == 1
    assert expire_requests(at=NOON) == 0
    states = [FourEyesRequest.objects.get(pk=one.pk).state for one in (old, answered, fresh)]
    assert states == ["expired", "refused", "open"]
    expire_task()
    assert FourEyesRequest.objects.get(pk=fresh.pk).state == "expired"


def test_what_each_person_sees_and_is_to_decide(filipa: User, goncalo: User) -> None:
    request = ask(filipa)
    assert list(requests_to_decide(goncalo, at=LATER)) == [request]
    assert list(requests_to_decide(filipa, at=LATER)) == []
    assert list(requests_to_decide(goncalo, at=request.expires_at)) == []
    for role, sees in (("Auditor", 1), ("Regulator", 1), ("Compliance", 1), ("Floor manager", 0), ("Support", 0)):
        other = member(role.partition(" ")[0].lower(), role)
        assert (requests_seen_by(other).count(), requests_to_decide(other, at=LATER).count()) == (sees, 0), role


def test_a_name_is_registered_once() -> None:
    four_eyes.register(ACT)
    with pytest.raises(ValueError, match="set_licence"):
        four_eyes.register(replace(ACT, title="Another"))
