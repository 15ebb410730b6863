"""One player for staff: who may look, who may act, and what only two people do."""

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from roulette_site.common.models import AuditEntry, FourEyesRequest
from tests.house import NOON, House, make_house
from wallets.models import (
    Account,
    ExclusionEnd,
    KycState,
    Limit,
    LimitKind,
    LimitPeriod,
    Player,
    Reason,
    Transfer,
    User,
)
from wallets.services.caps import CAPS_CENTS
from wallets.services.exclusion import exclude_self
from wallets.services.limits import set_operator_limit
from wallets.services.standing import set_kyc_state

from .pages import client_of, staff_client

pytestmark = pytest.mark.django_db
BY_STAFF: dict[str, Any] = {"reason": "a report", "actor": "staff:900001", "at": NOON}
ADJUSTMENT = {
    "act": "ask-adjustment", "direction": "credit", "amount": "25.00", "cause": "complaint",
    "reason": "complaint 7", "evidence": "letter of 1 June",
}  # fmt: skip


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(handle="maria")


def member(role: str, number: int = 1) -> User:
    user = User.objects.create_user(f"{role.lower()}{number}@test.example".replace(" ", ""), is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def page(player: Player) -> str:
    return reverse("staff-player", args=[player.pk])


def wallet(player: Player) -> Account:
    return Account.objects.get(player=player)


def decide(client: Client, request: FourEyesRequest, answer: str = "approve") -> Any:
    return client.post(reverse("staff:decide", args=[request.pk]), {"answer": answer, "reason": "checked"})


def test_who_may_look(maria: Player) -> None:
    assert Client().get(page(maria)).status_code == 302
    assert client_of(maria).get(page(maria)).status_code == 302
    assert staff_client(member("Floor manager")).get(page(maria)).status_code == 403
    for role in ("Support", "Finance", "Compliance", "Auditor", "Regulator"):
        answer = staff_client(member(role)).get(page(maria))
        assert answer.status_code == 200, role
        assert "maria" in answer.content.decode()
    assert staff_client(member("Support", 2)).get(reverse("staff-player", args=[10**9])).status_code == 404


@pytest.mark.parametrize("act", ["kyc", "suspend", "restrict", "limit", "exclude", "ask-adjustment", "ask-loosening"])
def test_who_only_reads_does_nothing(maria: Player, act: str) -> None:
    before = AuditEntry.objects.count()
    fields = ADJUSTMENT | {"act": act, "state": "suspended", "kind": "loss", "period": "day"}
    for role in ("Auditor", "Regulator"):
        assert staff_client(member(role)).post(page(maria), fields).status_code == 403
    assert not FourEyesRequest.objects.exists()
    assert not Limit.objects.exists()
    # The two members themselves are on record, and nothing else.
    assert set(AuditEntry.objects.order_by("id")[before:].values_list("act", flat=True)) == {"user_added"}


def test_compliance_decides_identity_and_account_with_a_reason(maria: Player) -> None:
    client = staff_client(member("Compliance"))
    assert client.post(page(maria), {"act": "suspend", "reason": ""}).status_code == 409
    assert client.post(page(maria), {"act": "kyc", "state": "asleep", "reason": "x"}).status_code == 409
    assert wallet(maria).barred == ""
    # Verified is who has a document on record and whose doubles were looked at: on the page of his papers.
    set_kyc_state(player=maria, state=KycState.EXPIRED, reason="x", actor="system", at=NOON)
    refused = client.post(page(maria), {"act": "kyc", "state": "verified", "reason": "x"})
    assert (refused.status_code, wallet(maria).barred) == (409, "not_verified")
    for fields in (
        {"act": "suspend"},
        {"act": "kyc", "state": "rejected"},
        {"act": "restrict"},
    ):
        assert client.post(page(maria), fields | {"reason": "a report"}).status_code == 302
    assert wallet(maria).barred == "suspended not_verified restricted"
    text = client.get(page(maria)).content.decode()
    assert "a report" in text
    entry = AuditEntry.objects.filter(act="standing_changed").get()
    assert (entry.before, entry.after, entry.reason) == (
        {"standing": "active"}, {"standing": "suspended"}, "a report",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("bar", "asked", "word"), [("suspend", "ask-reinstating", "suspended"), ("restrict", "ask-freeing", "restricted")]
)
def test_one_bars_a_player_and_two_let_him_play_again(maria: Player, bar: str, asked: str, word: str) -> None:
    first, second = (staff_client(member("Compliance", n)) for n in (1, 2))
    why = {"reason": "a report"}
    assert first.post(page(maria), {"act": asked} | why).status_code == 409
    assert first.post(page(maria), {"act": bar} | why).status_code == 302
    assert staff_client(member("Support")).post(page(maria), {"act": asked} | why).status_code == 403
    assert first.post(page(maria), {"act": asked} | why).status_code == 302
    request = FourEyesRequest.objects.get()
    shown = second.get(reverse("staff:request", args=[request.pk])).content.decode()
    assert "maria" in shown
    decide(first, request)
    assert wallet(maria).barred == word
    told = maria.inbox.count()
    decide(second, request)
    assert wallet(maria).barred == ""
    assert maria.inbox.count() == told + 1
    change = maria.standing_changes.latest("pk")
    assert (change.actor, change.second_actor) == (request.maker, FourEyesRequest.objects.get().decider)


def test_one_tightens_and_two_loosen(maria: Player) -> None:
    support, first, second = (
        staff_client(member(*who)) for who in (("Support",), ("Compliance", 1), ("Compliance", 2))
    )
    loss = {"kind": "loss", "period": "day"}
    assert support.post(page(maria), loss | {"act": "limit", "amount": "50.00", "reason": "worried"}).status_code == 302
    looser = loss | {"amount": "80.00", "reason": "talked to her"}
    assert support.post(page(maria), looser | {"act": "limit"}).status_code == 409
    assert support.post(page(maria), looser | {"act": "ask-loosening"}).status_code == 403
    assert wallet(maria).loss_day_limit_cents == 50_00
    assert first.post(page(maria), looser | {"act": "ask-loosening"}).status_code == 302
    request = FourEyesRequest.objects.get()
    assert decide(first, request).status_code in (403, 404, 409)
    assert wallet(maria).loss_day_limit_cents == 50_00
    decide(second, request)
    assert wallet(maria).loss_day_limit_cents == 80_00


def test_what_is_no_limit_is_neither_set_nor_asked_for(maria: Player) -> None:
    client = staff_client(member("Compliance"))
    time, loss = {"kind": "session_time", "period": "day"}, {"kind": "loss", "period": "day"}
    set_operator_limit(player=maria, kind=LimitKind.SESSION_TIME, period=LimitPeriod.DAY, value=3600, **BY_STAFF)
    set_operator_limit(player=maria, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=50_00, **BY_STAFF)
    before = Limit.objects.count()
    for fields in (
        *({"act": act, "amount": amount} | of for act in ("limit", "ask-loosening") for of in (time, loss)
          for amount in ("abc", "-1", "1e3", "1.5.0")),
        *({"act": "limit", "amount": ""} | of for of in (time, loss)),
        # Tighter than it is, or no limit that there is.
        *({"act": "ask-loosening", "amount": "30"} | of for of in (time, loss)),
        {"act": "ask-loosening", "amount": "30", "kind": "loss", "period": "round"},
        {"act": "ask-loosening", "amount": "30", "kind": "stake", "period": "round"},
    ):  # fmt: skip
        assert client.post(page(maria), fields | {"reason": "x"}).status_code == 409, fields
    assert Limit.objects.count() == before
    assert not FourEyesRequest.objects.exists()


def test_who_decides_reads_what_would_become_of_which_limit(maria: Player) -> None:
    first, second = (staff_client(member("Compliance", n)) for n in (1, 2))
    set_operator_limit(player=maria, kind=LimitKind.SESSION_TIME, period=LimitPeriod.DAY, value=3600, **BY_STAFF)
    set_operator_limit(player=maria, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=50_00, **BY_STAFF)
    said = []
    for kind, amount in (("session_time", "150"), ("loss", "80.00"), ("loss", "")):
        asked = {"act": "ask-loosening", "kind": kind, "period": "day", "amount": amount, "reason": "x"}
        assert first.post(page(maria), asked).status_code == 302
        address = reverse("staff:request", args=[FourEyesRequest.objects.latest("pk").pk])
        said.append(second.get(address).content.decode())
    for text, sentence in zip(said, (
        "Loosen the house&#x27;s limit of time at the tables, a day, of player maria: from 1 h to 2 h 30 min.",
        "Loosen the house&#x27;s limit of losses, a day, of player maria: from 50.00 EUR to 80.00 EUR.",
        "Lift the house&#x27;s limit of losses, a day, of player maria: it is 50.00 EUR now",
    ), strict=True):  # fmt: skip
        assert sentence in text
    # It was tightened meanwhile: nobody has asked to loosen that.
    set_operator_limit(player=maria, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=20_00, **BY_STAFF)
    decide(second, FourEyesRequest.objects.latest("pk"))
    assert (FourEyesRequest.objects.latest("pk").state, wallet(maria).loss_day_limit_cents) == ("open", 20_00)


def test_an_exclusion_of_the_house_is_lifted_by_two_and_the_players_own_by_nobody(maria: Player) -> None:
    first, second = (staff_client(member("Compliance", n)) for n in (1, 2))
    assert first.post(page(maria), {"act": "exclude", "reason": "a report"}).status_code == 302
    exclusion = maria.exclusions.get()
    assert first.post(page(maria), {"act": "ask-lifting", "exclusion": exclusion.pk, "reason": "x"}).status_code == 302
    decide(second, FourEyesRequest.objects.get())
    assert ExclusionEnd.objects.get().second_actor == FourEyesRequest.objects.get().decider
    own = exclude_self(player=maria, term="1 year", at=NOON)
    assert first.post(page(maria), {"act": "ask-lifting", "exclusion": own.pk, "reason": "x"}).status_code == 302
    decide(second, FourEyesRequest.objects.latest("pk"))
    assert FourEyesRequest.objects.latest("pk").state == "open"
    assert ExclusionEnd.objects.count() == 1


def test_an_adjustment_is_made_by_one_and_decided_by_another(maria: Player) -> None:
    maker, decider = member("Finance", 1), member("Finance", 2)
    first, second = staff_client(maker), staff_client(decider)
    assert first.post(page(maria), ADJUSTMENT).status_code == 302
    request = FourEyesRequest.objects.get()
    assert wallet(maria).balance_cents == 100_00
    decide(first, request)
    assert wallet(maria).balance_cents == 100_00
    decide(second, request)
    assert wallet(maria).balance_cents == 125_00
    transfer = Transfer.objects.get(reason=Reason.ADJUSTMENT)
    assert (transfer.actor, transfer.player_day) == (f"staff:{maker.pk}", None)
    entry = AuditEntry.objects.get(act="balance_adjusted")
    assert entry.after["second_actor"] == f"staff:{decider.pk}"
    assert (entry.after["cause"], entry.after["evidence"]) == ("complaint", "letter of 1 June")
    decide(second, request)
    assert wallet(maria).balance_cents == 125_00
    shown = client_of(maria).get(reverse("transfers")).content.decode()
    assert "25.00" in shown


def test_a_superuser_decides_nothing_of_his_own_and_has_no_cap_of_his_own(maria: Player) -> None:
    boss = staff_client(User.objects.create_superuser("boss@test.example", "x"))
    answer = boss.post(page(maria), ADJUSTMENT)
    assert answer.status_code == 409
    assert "more than you may adjust" in answer.content.decode()
    assert not FourEyesRequest.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": "0"},
        {"amount": "-1"},
        {"amount": "1e3"},
        {"amount": ""},
        {"amount": f"{CAPS_CENTS['Finance'] // 100 + 1}.00"},
        {"direction": "sideways"},
        {"cause": "luck"},
        {"reason": ""},
        {"reason": "write to maria@test.example"},
    ],
)
def test_an_adjustment_that_is_none_is_not_asked_for(maria: Player, wrong: dict[str, str]) -> None:
    assert staff_client(member("Finance")).post(page(maria), ADJUSTMENT | wrong).status_code == 409
    assert not FourEyesRequest.objects.exists()


def test_what_the_balance_does_not_bear_leaves_the_request_open(maria: Player) -> None:
    first, second = (staff_client(member("Finance", n)) for n in (1, 2))
    assert first.post(page(maria), ADJUSTMENT | {"direction": "debit", "amount": "200.00"}).status_code == 302
    decide(second, FourEyesRequest.objects.get())
    assert (FourEyesRequest.objects.get().state, wallet(maria).balance_cents) == ("open", 100_00)


def test_an_unknown_act_is_refused(maria: Player) -> None:
    assert staff_client(member("Compliance")).post(page(maria), {"act": "promote"}).status_code == 400
