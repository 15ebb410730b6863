"""Roles that can act: given to one member of the staff by two others, however many rights those have."""

import datetime as dt

from django.contrib.auth.models import Group

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import Player, User
from wallets.selectors.roles import acting_roles, acting_roles_of

from .caps import check_two_people
from .standing import hold_person_to_registry


class RoleNotGiven(RuleBroken):
    """This role is not to be given to this account."""

    code = "role_not_given"


class TwoPeopleNeeded(RuleBroken):
    """A role that can act is given by two people, neither of whom gets it."""

    code = "two_people_needed"


def check_role(*, user: User, role: str) -> Group:
    """Return the role where it can be given to this account; raises RoleNotGiven."""
    group = acting_roles().filter(name=role).first()
    if group is None:
        raise RoleNotGiven("There is no such role, or it needs no second person.")
    if Player.objects.filter(user=user).exists():
        raise RoleNotGiven("A player's account gets no role: staff log in with one of their own.")
    if role in acting_roles_of(user):
        raise RoleNotGiven("This account has that role already.")
    asleep = user.groups.filter(pk__in=acting_roles()).exclude(pk=group.pk)
    if not (user.is_active and user.is_staff) and asleep.exists():
        raise RoleNotGiven("This account is out of use and would come back with other roles: take those away first.")
    return group


def give_role(*, user: User, role: str, reason: str, actor: str, second_actor: str, at: dt.datetime) -> User:
    """Give a member of the staff a role that can act, and let him in with it.

    Raises RoleNotGiven, TwoPeopleNeeded, ReasonNotUsable, or OwnBenefit where the two may be one person.
    """
    reason = clean_reason(reason)
    if not actor or not second_actor or actor == second_actor or f"staff:{user.pk}" in (actor, second_actor):
        raise TwoPeopleNeeded("A role is given by two people to a third one.")
    check_two_people((actor, second_actor))
    with audited():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        group = check_role(user=user, role=role)
        before = sorted(user.groups.values_list("pk", flat=True))
        user.groups.add(group)
        if not (user.is_active and user.is_staff):
            user.is_active = user.is_staff = True
            user.save(update_fields=["is_active", "is_staff"])
            # Nobody who works here plays for money, under whatever login.
            hold_person_to_registry(user=user, at=at)
        record(
            act="roles_given",
            actor=actor,
            subject=("user", user.pk),
            before={"groups": before},
            after={"groups": sorted({*before, group.pk}), "second_actor": second_actor},
            reason=reason,
            at=at,
        )
        return user
