"""The act of these tests, how it is asked for and decided, and what stands after it."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from roulette_site.common import four_eyes
from roulette_site.common.audit import audited, record, trail_of
from roulette_site.common.errors import RuleBroken
from roulette_site.common.four_eyes import (
    Act,
    Decision,
    approve_request,
    make_request,
    refuse_request,
)
from roulette_site.common.models import AuditEntry, FourEyesRequest, Operator
from tests.house import NOON
from wallets.models import User
from wallets.services.people import add_staff

LATER = NOON + dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)


class LicenceStands(RuleBroken):
    """A condition of the act of these tests."""

    code = "licence_stands"


class AboveCap(RuleBroken):
    """What this person may not do, whoever else agrees."""

    code = "above_cap"


def set_licence(arguments: four_eyes.Arguments, decision: Decision) -> None:
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
    run=set_licence,
    describe=lambda arguments: f"The licence becomes {arguments['new']} in place of {arguments['old']}.",
    may_make="common.request_finance",
    may_decide="common.decide_finance",
    check=_check,
    check_maker=_check_cap,
    check_approver=_check_cap,
    valid_for=DAY,
)


def member(name: str, *roles: str, **rights: Any) -> User:
    user = add_staff(
        email=f"{name}@test.example", full_name="".join(filter(str.isalpha, name)).title(), roles=roles, at=NOON
    )
    if rights:
        User.objects.filter(pk=user.pk).update(**rights)
    return User.objects.get(pk=user.pk)


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
