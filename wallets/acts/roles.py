"""The act that gives somebody a role."""

from typing import Any

from roulette_site.common.four_eyes import Act, Arguments, Decision, NotPermitted
from wallets.models import User
from wallets.selectors.people import may_be_same_person
from wallets.selectors.roles import ADMINISTERS, administrator_count
from wallets.services.roles import RoleNotGiven, check_role, give_role

from .arguments import by_two

GIVE_ROLE = "give_role"


def _member(arguments: Arguments) -> User:
    user = User.objects.filter(pk=arguments.get("user") or 0).first()
    if user is None:
        raise RoleNotGiven("There is no such account.")
    return user


def _check_role(arguments: Arguments) -> None:
    check_role(user=_member(arguments), role=str(arguments.get("role")))


def _check_role_giver(arguments: Arguments, user: Any) -> None:
    """Nobody has to do with a role of his own, and compliance decides only where there is one administrator alone."""
    if may_be_same_person(_member(arguments), user):
        raise NotPermitted("Nobody gives a role to himself.")
    if not user.has_perm(ADMINISTERS) and administrator_count() > 1:
        raise NotPermitted("Another administrator decides this.")


def _give_role(arguments: Arguments, decision: Decision) -> object:
    return give_role(user=_member(arguments), role=arguments["role"], **by_two(decision))


def _describe_role(arguments: Arguments) -> str:
    user = _member(arguments)
    return f"Give user {user.pk} ({user.full_name or 'no name'}) the role {arguments['role']}."


ACTS = (
    Act(
        name=GIVE_ROLE,
        title="Give a role",
        run=_give_role,
        describe=_describe_role,
        may_make=ADMINISTERS,
        may_decide="wallets.decide_role",
        check=_check_role,
        check_person=_check_role_giver,
    ),
)
