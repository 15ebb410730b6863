"""A player and a superuser who know their password."""

import pytest

from tests.house import make_house
from wallets.models import Player, User

from .logging_in import PASSWORD


@pytest.fixture
def player() -> Player:
    player = make_house().player(handle="maria")
    player.user.set_password(PASSWORD)
    player.user.save()
    return player


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss@test.example", PASSWORD)
