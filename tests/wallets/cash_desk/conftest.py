"""A player with money, a provider who can be told how to answer, and books that are right after each test."""

from collections.abc import Iterator

import pytest

from tests.house import House, make_house
from tests.wallets.books import hold_books
from tests.wallets.providers import CODE, FickleProvider
from wallets import providers
from wallets.models import Player


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return house.player(100_00)


@pytest.fixture
def fickle() -> Iterator[FickleProvider]:
    provider = FickleProvider()
    providers.register(provider)
    yield provider
    del providers._providers[CODE]


@pytest.fixture(autouse=True)
def books_are_right(db: None) -> Iterator[None]:
    yield
    hold_books()
