"""A house with a table, a system that plays and reads, and a player at the table."""

import pytest

from tests.house import House, make_house
from wallets.models import Scope

from .caller import Caller, make_key
from .play import Table, sit_down


@pytest.fixture
def caller() -> Caller:
    return Caller(make_key(Scope.PLAY, Scope.READ))


@pytest.fixture
def house() -> House:
    return make_house(minimum_cents=100, stake_step_cents=10, total_limit_cents=500_00)


@pytest.fixture
def table(caller: Caller, house: House) -> Table:
    return sit_down(caller, house)
