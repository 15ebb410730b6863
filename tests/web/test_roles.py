"""Roles that can act: nobody makes himself a second pair of eyes."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from roulette_site.common.four_eyes import ActRefused, NotPermitted, approve_request, make_request
from roulette_site.common.models import AuditEntry, FourEyesRequest
from roulette_site.common.sql import database_now
from tests.house import NOON, make_house
from wallets.acts.roles import GIVE_ROLE
from wallets.models import User
from wallets.services.people import add_staff
from wallets.services.roles import TwoPeopleNeeded, give_role

from .pages import staff_client

pytestmark = pytest.mark.django_db


def member(name: str, *roles: str) -> User:
    return add_staff(email=f"{name}@test.example", full_name=name.title(), roles=roles, at=NOON)


def roles_of(user: User) -> list[str]:
    return sorted(User.objects.get(pk=user.pk).groups.values_list("name", flat=True))


def posted(admin: User, user: User, *roles: str, **fields: str) -> int:
    groups = [str(pk) for pk in Group.objects.filter(name__in=roles).values_list("pk", flat=True)]
    form = {"full_name": user.full_name, "is_active": "on", "is_staff": "on", "groups": groups, **fields}
    form = {name: value for name, value in form.items() if value}
    return staff_client(admin).post(reverse("admin:wallets_user_change", args=[user.pk]), form).status_code


@pytest.mark.parametrize("role", ["Finance", "Compliance", "Floor manager", "Administrator"])
def test_no_administrator_gives_a_role_that_can_act_alone_not_even_a_superuser(role: str) -> None:
    new = member("new")
    for admin in (member("admin", "Administrator"), User.objects.create_superuser("root@test.example")):
        assert posted(admin, new, role) == 200
    assert roles_of(new) == []
    # Those who look and help alone are his to give, and every role is his to take.
    assert posted(admin, new, "Support", "Auditor") == 302
    assert roles_of(new) == ["Auditor", "Support"]
    held = member("held", role)
    assert posted(admin, held) == 302
    assert roles_of(held) == []


def test_no_role_comes_back_with_an_account_that_is_taken_up_again() -> None:
    admin, held = member("admin", "Administrator"), member("held", "Finance")
    for fields in ({"is_staff": ""}, {"is_active": ""}):
        assert posted(admin, held, "Finance", **fields) == 302
        assert posted(admin, held, "Finance") == 200
    held.refresh_from_db()
    assert not held.is_active
    # By two it does.
    give_role(user=held, role="Finance", reason="back", actor="staff:900008", second_actor="staff:900009", at=NOON)
    assert User.objects.get(pk=held.pk).is_active


def test_another_administrator_decides_and_compliance_where_there_is_none() -> None:
    admin, compliance, new = member("admin", "Administrator"), member("compliance", "Compliance"), member("new")
    page = reverse("staff-ask-for-role", args=[new.pk])
    client = staff_client(admin)
    assert "Finance" in client.get(page).content.decode()
    assert client.post(page, {"role": "Support", "reason": "x"}).status_code == 409
    assert client.post(page, {"role": "Finance", "reason": "hired"}).status_code == 302
    asked = FourEyesRequest.objects.get()
    second = member("second", "Administrator")
    with pytest.raises(NotPermitted):
        approve_request(request_id=asked.pk, user=compliance, reason="yes", at=database_now())
    second.groups.clear()
    approve_request(request_id=asked.pk, user=compliance, reason="yes", at=database_now())
    assert roles_of(new) == ["Finance"]
    entry = AuditEntry.objects.filter(act="roles_given", subject_id=str(new.pk)).latest("id")
    assert entry.after is not None
    assert (entry.actor, entry.after["second_actor"]) == (f"staff:{admin.pk}", f"staff:{compliance.pk}")


def test_nobody_has_to_do_with_a_role_of_his_own_and_no_player_gets_one() -> None:
    admin, second, new = member("admin", "Administrator"), member("second", "Administrator"), member("new")
    player = make_house().player().user

    def ask(user: User, of: User) -> FourEyesRequest:
        return make_request(
            act=GIVE_ROLE, arguments={"user": of.pk, "role": "Finance"}, user=user, reason="r", at=database_now()
        )

    for maker, of in ((admin, admin), (member("support", "Support"), new)):
        with pytest.raises(NotPermitted):
            ask(maker, of)
    with pytest.raises(NotPermitted):
        approve_request(request_id=ask(admin, second).pk, user=second, reason="r", at=database_now())
    with pytest.raises(Exception, match="A player's account"):
        ask(admin, player)
    for two in (("staff:900001", "staff:900001"), ("staff:900001", ""), ("staff:900001", f"staff:{new.pk}")):
        with pytest.raises(TwoPeopleNeeded):
            give_role(user=new, role="Finance", reason="r", actor=two[0], second_actor=two[1], at=NOON)
    waiting = ask(admin, new)
    new.groups.add(Group.objects.get(name="Finance"))
    with pytest.raises(ActRefused):
        approve_request(request_id=waiting.pk, user=second, reason="r", at=database_now())
