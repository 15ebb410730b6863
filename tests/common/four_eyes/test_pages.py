"""The pages on which requests are seen and answered."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from roulette_site.common import four_eyes
from roulette_site.common.audit import record
from roulette_site.common.models import FourEyesRequest
from tests.house import NOON, make_house
from tests.web.pages import staff_client
from wallets.models import User

from .licence import ACT, ask, licence, member, nothing_changes

pytestmark = pytest.mark.django_db(transaction=True)


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
