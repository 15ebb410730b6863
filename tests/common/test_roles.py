"""Roles: each sees what its work needs, and no role is given what is not there."""

import pytest
from django.contrib.auth.models import Group

from roulette_site.common.roles import SEES, lay_roles
from tests.house import NOON

pytestmark = pytest.mark.django_db

# Who somebody is by his papers, and what keeps him from the games.
PRIVATE = ("identitypaper", "exclusion", "exclusionend", "restrictedentry", "registercheck", "loginrecord", "consent")


def seen_by(role: str) -> set[str]:
    permissions = Group.objects.get(name=role).permissions.filter(codename__startswith="view_")
    return {
        f"{app}.{name.removeprefix('view_')}"
        for app, name in permissions.values_list("content_type__app_label", "codename")
    }


def test_every_model_that_a_role_is_to_see_is_there() -> None:
    lay_roles(at=NOON)
    for role, sees in SEES.items():
        assert {one for one in sees if "." in one} <= seen_by(role), role


@pytest.mark.parametrize("role", ["Finance", "Administrator", "Floor manager"])
def test_papers_and_exclusions_are_not_for_those_who_have_no_part_in_them(role: str) -> None:
    lay_roles(at=NOON)
    assert not {f"wallets.{name}" for name in PRIVATE} & seen_by(role)
    assert {f"wallets.{name}" for name in PRIVATE} <= seen_by("Compliance")


def test_who_makes_accounts_sees_no_money() -> None:
    lay_roles(at=NOON)
    assert {one for one in seen_by("Administrator") if one.startswith("wallets.")} == {
        "wallets.user", "wallets.apikey", "wallets.personact",
    }  # fmt: skip
