"""Players' money through REST: keys and scopes, replays, and every refusal."""

from typing import Any

import pytest
from django.db import transaction

from roulette_site.common.sql import database_now
from tests.api.caller import Caller, make_key
from tests.house import House, make_house
from wallets.models import CashRequest, OfferOccasion, Player, Scope, Transfer, Unit
from wallets.services.closing import begin_closing
from wallets.services.exclusion import exclude_self
from wallets.services.ledger import open_wallet
from wallets.services.limits_offers import note_answer

from .problems import problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    """She has been offered limits, and has set none."""
    player = house.player(100_00, handle="maria")
    with transaction.atomic():
        note_answer(player=player, occasion=OfferOccasion.FIRST_DEPOSIT, limits_set=0, at=house.at())
    return player


@pytest.fixture
def caller() -> Caller:
    return Caller(make_key(Scope.CASH, Scope.READ))


def post(
    caller: Caller, kind: str, amount: Any = "40.00", key: str = "key-00001", handle: str = "maria", **more: Any
) -> Any:
    body = {"amount": amount, "provider": "bank", **more}
    return caller.post(f"players/{handle}/{kind}", body, **({"Idempotency-Key": key} if key else {}))


def balance(player: Player) -> int | None:
    return open_wallet(player=player, unit=Unit.EUR).balance_cents


def test_a_withdrawal_and_its_replay(caller: Caller, maria: Player) -> None:
    first = post(caller, "withdrawals")
    assert first.status_code == 201
    said = first.json()
    assert (said["amount"], said["balance"], said["unit"], said["kind"]) == ("40.00", "60.00", "EUR", "withdrawal")
    post(caller, "withdrawals", "10.00", "key-00002")
    again = post(caller, "withdrawals")
    assert (again.status_code, again.json(), again["Idempotent-Replayed"]) == (200, said, "true")
    problem(post(caller, "withdrawals", "41.00"), 422, "idempotency_conflict")
    problem(post(caller, "deposits"), 422, "idempotency_conflict")
    assert balance(maria) == 50_00


def test_limits_are_offered_before_the_first_deposit(house: House) -> None:
    joao = house.player(0, handle="joao")
    integrator = Caller(make_key(Scope.CASH, Scope.PLAY))
    offer = {"occasion": "first_deposit", "limits": [{"kind": "deposit", "period": "day", "value": "30.00"}]}
    for _ in range(2):
        problem(post(integrator, "deposits", "25.00", handle="joao"), 409, "limits_not_offered")
    for limits, code in (
        ([*offer["limits"], *offer["limits"]], "invalid_request"),
        ([{"kind": "deposit", "period": "day", "value": None}], "invalid_request"),
        ([{"kind": "deposit", "period": "day", "value": 3600}], "invalid_request"),
        ("none", "invalid_request"),
        ([{"kind": "stake", "period": "day", "value": "1.00"}], "invalid_limit"),
    ):
        problem(integrator.post("players/joao/limits-offers", offer | {"limits": limits}), 400, code)
    assert not joao.limits_offers.exists()
    answered = integrator.post("players/joao/limits-offers", offer)
    (held,) = [one for one in answered.json() if (one["kind"], one["period"]) == ("deposit", "day")]
    assert (answered.status_code, held["own"]) == (201, "30.00")
    said = problem(post(integrator, "deposits", "31.00", handle="joao"), 409, "deposit_limit_reached")
    assert (said["left"], said["title"]) == ("30.00", "The deposit limit leaves 30.00 for today.")
    first, again = (post(integrator, "deposits", "25.00", handle="joao") for _ in range(2))
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    assert joao.limits_offers.get().limits_set == 1


def test_who_may_not_pay_in_is_told_that_and_not_offered_limits(house: House) -> None:
    joao = house.player(0, handle="joao")
    integrator = Caller(make_key(Scope.CASH, Scope.PLAY))
    exclude_self(player=joao, term="24 hours", at=database_now())
    problem(post(integrator, "deposits", "25.00", handle="joao"), 409, "excluded")
    begin_closing(player=joao, reason="", actor=f"player:{joao.pk}", at=database_now())
    problem(post(integrator, "deposits", "25.00", handle="joao"), 409, "account_closing")


def test_a_deposit_waits_for_its_provider(caller: Caller, maria: Player) -> None:
    said = post(caller, "deposits", "25.00")
    assert (said.status_code, said.json()["balance"], balance(maria)) == (201, None, 100_00)
    page = caller.get("players/maria/deposits").json()
    assert page["next"] is None
    assert [(one["reference"], one["state"], one["amount"], one["kept"]) for one in page["results"]] == [
        (said.json()["reference"], "started", "25.00", None)
    ]
    assert caller.get("players/maria/withdrawals").json() == {"results": [], "next": None}


@pytest.mark.parametrize("kind", ["deposits", "withdrawals"])
@pytest.mark.parametrize(
    ("amount", "code"),
    [("-1.00", "invalid_amount"), ("0.00", "invalid_amount"), ("12,50", "invalid_amount"), (12.5, "invalid_amount"),
     (5, "invalid_amount"), ("", "invalid_amount"), ([], "invalid_amount"), ("9" * 15, "invalid_amount"), (True, "invalid_amount"),
     ("1.001", "invalid_amount")],
)  # fmt: skip
def test_no_amount(caller: Caller, maria: Player, kind: str, amount: Any, code: str) -> None:
    problem(post(caller, kind, amount), 422, code)
    assert (CashRequest.objects.count(), Transfer.objects.count()) == (0, 1)


def test_every_refusal_has_its_code_and_moves_nothing(caller: Caller, maria: Player) -> None:
    said = problem(post(caller, "withdrawals", "100.01"), 409, "balance_too_low")
    assert (said["balance"], "balance_cents" in said) == ("100.00", False)
    problem(post(caller, "withdrawals", key=""), 400, "idempotency_key_required")
    problem(post(caller, "withdrawals", handle="nobody"), 404, "not_found")
    problem(post(caller, "withdrawals", provider="nobody"), 422, "unknown_provider")
    problem(post(caller, "withdrawals", unit="EUR"), 400, "invalid_request")
    problem(caller.post("players/maria/withdrawals", [], **{"Idempotency-Key": "key-00001"}), 400, "invalid_request")
    problem(caller.post("players/maria/withdrawals", {}, **{"Idempotency-Key": "key-00001"}), 400, "invalid_request")
    maria.user.is_active = False
    maria.user.save()
    problem(post(caller, "withdrawals"), 409, "account_closed")
    problem(post(caller, "deposits"), 409, "account_closed")
    assert (CashRequest.objects.count(), Transfer.objects.count()) == (0, 1)


def test_each_call_needs_its_scope(maria: Player) -> None:
    read, cash, nobody = Caller(make_key(Scope.READ)), Caller(make_key(Scope.CASH)), Caller()
    for kind in ("deposits", "withdrawals"):
        problem(post(read, kind), 403, "permission_denied")
        problem(read.get(f"players/maria/{kind}"), 403, "permission_denied")
        problem(post(nobody, kind), 401, "not_authenticated")
        assert cash.get(f"players/maria/{kind}").status_code == 200
    problem(cash.get("players/maria/transfers"), 403, "permission_denied")
    problem(nobody.get("players/maria/transfers"), 401, "not_authenticated")
    assert CashRequest.objects.count() == 0


def test_transfers_are_filtered_and_paged(caller: Caller, maria: Player) -> None:
    for number in range(120):
        post(caller, "withdrawals", "0.10", f"key-{number:05}")
    page = caller.get("players/maria/transfers").json()
    assert len(page["results"]) == 100
    assert page["results"][0]["change"] == "-0.10"
    rest = caller.get(f"players/maria/transfers?before={page['next']}").json()
    assert (len(rest["results"]), rest["next"], rest["results"][-1]["change"]) == (21, None, "100.00")
    assert len(caller.get("players/maria/transfers?reason=deposit").json()["results"]) == 1
    assert caller.get("players/maria/transfers?unit=DEMO").json() == {"results": [], "next": None}
    assert len(caller.get("players/maria/transfers?until=2026-06-16T00:00:00Z").json()["results"]) == 1
    requests = caller.get("players/maria/withdrawals").json()
    assert len(caller.get(f"players/maria/withdrawals?before={requests['next']}").json()["results"]) == 20


@pytest.mark.parametrize("query", ["before=0", "before=x", "before=9223372036854775808", "reason=gift", "unit=USD",
                                   "since=yesterday", "color=red"])  # fmt: skip
def test_a_question_that_cannot_be_read(caller: Caller, maria: Player, query: str) -> None:
    problem(caller.get(f"players/maria/transfers?{query}"), 400, "invalid_request")
