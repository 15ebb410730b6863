"""Requests that one person makes and another decides: who may, what is refused, and that the act is done once."""

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from roulette_site.common import four_eyes, guards
from roulette_site.common.audit import audited, record, trail_of
from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import (
    Act,
    ActRefused,
    AskedAlready,
    Decision,
    MakerDecides,
    NotAskedFor,
    NotPermitted,
    RequestDecided,
    RequestExpired,
    approve_request,
    expire_requests,
    make_request,
    refuse_request,
    requests_seen_by,
    requests_to_decide,
)
from roulette_site.common.models import AuditEntry, FourEyesRequest, Operator
from roulette_site.common.reasons import ReasonNotUsable
from roulette_site.common.sealer import seal_all
from roulette_site.common.tasks import expire_requests as expire_task
from tests.house import NOON, make_house
from tests.web.pages import staff_client
from wallets.models import User
from wallets.services.people import add_staff

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOON + dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)


class LicenceStands(RuleBroken):
    """A condition of the act of these tests."""

    code = "licence_stands"


class AboveCap(RuleBroken):
    """What this person may not do, whoever else agrees."""

    code = "above_cap"


def _set_licence(arguments: four_eyes.Arguments, decision: Decision) -> None:
    with audited():
        operator = Operator.objects.select_for_update().get()
        if operator.licence != arguments["old"]:
            raise LicenceStands(f"The licence is {operator.licence}.")
        operator.licence = arguments["new"]
        operator.save()
        record(
            act="licence_set", actor=decision.decider, subject=("operator", 1), reason=decision.reason, at=decision.at
        )


def _check(arguments: four_eyes.Arguments) -> None:
    if not arguments.get("new"):
        raise LicenceStands("A licence has a number.")


def _check_cap(arguments: four_eyes.Arguments, user: Any, at: dt.datetime) -> None:
    if len(arguments["new"]) > 8 and not user.groups.filter(name="Administrator").exists():
        raise AboveCap("This licence is too long for you.")


ACT = Act(
    name="set_licence",
    title="Set the licence",
    run=_set_licence,
    describe=lambda arguments: f"The licence becomes {arguments['new']} in place of {arguments['old']}.",
    may_make="common.request_finance",
    may_decide="common.decide_finance",
    check=_check,
    check_maker=_check_cap,
    check_approver=_check_cap,
    valid_for=DAY,
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(four_eyes, "_acts", {})
    four_eyes.register(ACT)
    make_house()


def member(name: str, *roles: str, **rights: Any) -> User:
    user = add_staff(
        email=f"{name}@test.example", full_name="".join(filter(str.isalpha, name)).title(), roles=roles, at=NOON
    )
    if rights:
        User.objects.filter(pk=user.pk).update(**rights)
    return User.objects.get(pk=user.pk)


@pytest.fixture
def filipa() -> User:
    return member("filipa", "Finance")


@pytest.fixture
def goncalo() -> User:
    return member("goncalo", "Finance")


def ask(user: User, new: str = "L-2", **more: Any) -> FourEyesRequest:
    # Each for a reason of its own: the very same is asked for once.
    why = f"the new one came, {FourEyesRequest.objects.count()}"
    given = {"act": "set_licence", "arguments": {"old": "TEST", "new": new}, "reason": why, "at": NOON}
    return make_request(user=user, **{**given, **more})


def approve(request: FourEyesRequest, user: User, **more: Any) -> FourEyesRequest:
    return approve_request(
        **{"request_id": request.pk, "user": user, "reason": "I saw the letter", "at": LATER, **more}
    )


def refuse(request: FourEyesRequest, user: User, **more: Any) -> FourEyesRequest:
    return refuse_request(**{"request_id": request.pk, "user": user, "reason": "no letter came", "at": LATER, **more})


def licence() -> str:
    return Operator.objects.get().licence


def steps(request: FourEyesRequest) -> list[tuple[str, str]]:
    return [(entry.act, entry.actor) for entry in trail_of("request", request.pk).order_by("id")]


@contextmanager
def nothing_changes(request: FourEyesRequest) -> Iterator[None]:
    before = FourEyesRequest.objects.filter(pk=request.pk).values().get(), licence(), AuditEntry.objects.count()
    yield
    after = FourEyesRequest.objects.filter(pk=request.pk).values().get(), licence(), AuditEntry.objects.count()
    assert after == before


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
        _set_licence(arguments, decision)
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


# The pages.


def now_asked(user: User, **more: Any) -> FourEyesRequest:
    return ask(user, at=timezone.now(), **more)


def pages_of(request: FourEyesRequest) -> list[str]:
    return [
        reverse("staff:requests"),
        reverse("staff:request", args=[request.pk]),
        reverse("staff:trail", args=["request", request.pk]),
    ]


def test_nobody_comes_to_the_pages_without_a_login_or_a_right(filipa: User, client: Any) -> None:
    request = now_asked(filipa)
    decide = reverse("staff:decide", args=[request.pk])
    player = make_house().player().user
    support, floor = staff_client(member("simao", "Support")), staff_client(member("floor", "Floor manager"))
    with nothing_changes(request):
        for page in (*pages_of(request), decide):
            assert client.get(page).status_code == 302
        assert client.post(decide, {"answer": "approve", "reason": "x"}).status_code == 302
        assert staff_client(player).post(decide, {"answer": "approve", "reason": "x"}).status_code == 302
        assert [support.get(page).status_code for page in pages_of(request)] == [403, 403, 403]
        assert support.post(decide, {"answer": "approve", "reason": "x"}).status_code == 403
        # Another kind of act is as if it did not exist.
        four_eyes.register(replace(ACT, name="of_the_floor", may_decide="common.decide_floor"))
        assert [floor.get(page).status_code for page in pages_of(request)] == [200, 404, 403]
        assert floor.post(decide, {"answer": "approve", "reason": "x"}).status_code == 404


def test_who_only_reads_gets_no_form_and_no_answer_taken(filipa: User) -> None:
    request = now_asked(filipa)
    decide = reverse("staff:decide", args=[request.pk])
    for role in ("Auditor", "Regulator"):
        reader = staff_client(member(role.lower(), role))
        for page in pages_of(request):
            answer = reader.get(page)
            assert answer.status_code == 200
            assert "Approve, and do it" not in answer.content.decode()
        with nothing_changes(request):
            assert reader.post(decide, {"answer": "approve", "reason": "x"}).status_code == 403


def test_the_maker_is_told_that_another_decides(filipa: User) -> None:
    request = now_asked(filipa)
    client = staff_client(filipa)
    text = client.get(reverse("staff:request", args=[request.pk])).content.decode()
    assert "another person decides it" in text
    assert "Approve, and do it" not in text
    with nothing_changes(request):
        answer = client.post(reverse("staff:decide", args=[request.pk]), {"answer": "approve", "reason": "x"})
    assert answer.status_code == 403
    assert "You asked for this yourself" in answer.content.decode()


def test_a_badge_counts_what_waits_and_the_answer_is_one_form(filipa: User, goncalo: User) -> None:
    request = now_asked(filipa, reason="<b>now</b>")
    client = staff_client(goncalo)
    index = client.get(reverse("admin:index")).content.decode()
    assert '<span class="staff-badge">1</span>' in index
    assert "staff-badge" not in staff_client(filipa).get(reverse("admin:index")).content.decode()
    listed = client.get(reverse("staff:requests")).content.decode()
    assert "The licence becomes L-2 in place of TEST." in listed
    assert "waits for you" in listed
    page = client.get(reverse("staff:request", args=[request.pk])).content.decode()
    assert "Filipa" in page
    assert "&lt;b&gt;now&lt;/b&gt;" in page
    assert "<b>now</b>" not in page
    decide = reverse("staff:decide", args=[request.pk])
    for wrong, status in (
        ({"answer": "approve", "reason": " "}, 422),
        ({"answer": "maybe", "reason": "x"}, 422),
        ({"reason": "x"}, 422),
    ):
        with nothing_changes(request):
            answer = client.post(decide, wrong)
        assert answer.status_code == status
        assert "errornote" in answer.content.decode()
    answer = client.post(decide, {"answer": "approve", "reason": "I saw it"})
    assert (answer.status_code, answer["Location"]) == (302, reverse("staff:requests"))
    assert licence() == "L-2"
    assert "staff-badge" not in client.get(reverse("staff:requests")).content.decode()
    again = client.post(decide, {"answer": "refuse", "reason": "I saw it"})
    assert again.status_code == 409
    assert "approved already" in again.content.decode()
    trail = staff_client(member("augusta", "Auditor")).get(reverse("staff:trail", args=["request", request.pk]))
    for said in ("request_made", "request_approved", "Filipa", "Goncalo", f"staff:{filipa.pk}"):
        assert said in trail.content.decode()


def test_a_failure_is_shown_with_its_reason_and_the_request_stays_open(filipa: User, goncalo: User) -> None:
    request = now_asked(filipa, arguments={"old": "ANOTHER", "new": "L-2"})
    client = staff_client(goncalo)
    answer = client.post(reverse("staff:decide", args=[request.pk]), {"answer": "approve", "reason": "I saw it"})
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "The licence is TEST." in text
    assert "Approve, and do it" in text
    assert "I saw it" in text
    assert "request_failed licence_stands" in client.get(reverse("staff:request", args=[request.pk])).content.decode()


@pytest.mark.parametrize("address", ["requests/0/", f"requests/{2**63}/", f"requests/{10**40}/", "requests/x/"])
def test_an_address_that_names_no_request_finds_nothing(goncalo: User, address: str, settings: Any) -> None:
    assert staff_client(goncalo).get(f"/{settings.ADMIN_URL}{address}").status_code == 404


@pytest.mark.parametrize("before", ["x", "-1", "1" * 30, "²"])
def test_a_trail_pages_by_key_and_refuses_what_is_none(before: str) -> None:
    auditor = staff_client(member("augusta", "Auditor"))
    page = reverse("staff:trail", args=["thing", "1"])
    assert auditor.get(page, {"before": before}).status_code == 404
    with transaction.atomic():
        for number in range(120):
            record(act=f"act_{number}", actor="system", subject=("thing", 1), at=NOON)
    text = auditor.get(page).content.decode()
    assert "act_119" in text
    assert "act_19<" not in text
    oldest = text.split("?before=")[1].split('"')[0]
    text = auditor.get(page, {"before": oldest}).content.decode()
    assert "act_19<" in text
    assert "act_119" not in text
    assert "?before=" not in text


def test_a_request_whose_act_nobody_knows_any_more_is_still_shown(
    filipa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = now_asked(filipa)
    monkeypatch.setattr(four_eyes, "_acts", {})
    auditor = staff_client(member("augusta", "Auditor"))
    for page in pages_of(request):
        assert auditor.get(page).status_code == 200
    assert "set_licence with arguments that cannot be told" in auditor.get(pages_of(request)[1]).content.decode()


def test_the_admin_finds_entries_by_subject_actor_and_request(filipa: User) -> None:
    request = now_asked(filipa)
    auditor = staff_client(member("augusta", "Auditor"))
    entries = reverse("admin:common_auditentry_changelist")
    for term in (f"request:{request.pk}", f"staff:{filipa.pk}", "request_made", "request"):
        assert (
            reverse("staff:trail", args=["request", request.pk]) in auditor.get(entries, {"q": term}).content.decode()
        )
    assert "request_made" not in auditor.get(entries, {"q": "request:0"}).content.decode().split("result_list")[-1]
    assert auditor.get(entries, {"q": "\u202e' OR 1=1"}).status_code == 200
    assert staff_client(member("simao", "Support")).get(entries).status_code == 403


# Races.


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Run acts in threads of their own, released together; what each returned or raised."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            connection.ensure_connection()
            barrier.wait()
            return act()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


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
