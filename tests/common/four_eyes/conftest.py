"""An act for two people, and two who may."""

import pytest

from roulette_site.common import four_eyes
from tests.house import make_house
from wallets.models import User

from .licence import ACT, member


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(four_eyes, "_acts", {})
    four_eyes.register(ACT)
    make_house()


@pytest.fixture
def filipa() -> User:
    return member("filipa", "Finance")


@pytest.fixture
def goncalo() -> User:
    return member("goncalo", "Finance")
