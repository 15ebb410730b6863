"""Bringing people into the system."""

import datetime as dt

from django.db import transaction

from wallets.models import Player, User


def add_player(*, email: str, full_name: str, handle: str, at: dt.datetime) -> Player:
    """Store a player who can log in once he has a password."""
    with transaction.atomic():
        user = User.objects.create_user(email=email, full_name=full_name)
        return Player.objects.create(user=user, handle=handle, created_at=at)
