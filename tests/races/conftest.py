import datetime as dt

import pytest
from django.utils import timezone

from tests.house import House, make_house


@pytest.fixture
def house() -> House:
    house = make_house()
    # Bets are placed by the database's clock here, so the rounds were opened before it.
    house.now = timezone.now() - dt.timedelta(hours=1)
    return house
