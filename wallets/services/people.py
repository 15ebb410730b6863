"""Bringing people into the system."""

import datetime as dt
from collections.abc import Sequence

from django.contrib.auth.models import Group

from roulette_site.common.audit import audited, record
from wallets.models import Player, User


def add_player(*, email: str, full_name: str, handle: str, at: dt.datetime, actor: str = "system") -> Player:
    """Store a player who can log in once he has a password."""
    with audited():
        user = User.objects.create_user(email=email, full_name=full_name)
        player = Player.objects.create(user=user, handle=handle, created_at=at)
        record(act="player_added", actor=actor, subject=("player", player.pk), after={"user": user.pk}, at=at)
    return player


def add_staff(*, email: str, full_name: str, roles: Sequence[str], at: dt.datetime, actor: str = "system") -> User:
    """Store a member of the staff with roles (groups that exist), who can log in once he has a password."""
    with audited():
        user = User.objects.create_user(email=email, full_name=full_name, is_staff=True)
        groups = [Group.objects.get(name=role) for role in roles]
        user.groups.set(groups)
        record(
            act="roles_given",
            actor=actor,
            subject=("user", user.pk),
            after={"groups": sorted(group.pk for group in groups)},
            at=at,
        )
    return user
