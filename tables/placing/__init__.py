"""Placing a slip: the one hot path, in the shape each database is fast and correct with.

On PostgreSQL it is one round trip to a function of three statements (postgresql.py), on SQLite raw statements inside an
IMMEDIATE transaction (sqlite.py). Both read under the locks, name every breach, and write only if there is none.
docs/decisions/0004-placing.md has the designs that were tried.
"""

from django.db import connection

from . import postgresql, sqlite
from .slip import NewBet, NewCall, NewSlip, Placed

__all__ = ("NewBet", "NewCall", "NewSlip", "Placed", "place_slip")


def place_slip(slip: NewSlip) -> Placed:
    """Place the slip or say everything that stands against it; moves nothing in the second case.

    Raises django.db.IntegrityError where another account spends the same key at the same moment.
    """
    if connection.vendor == "postgresql":
        return postgresql.place_slip(slip)
    return sqlite.place_slip(slip)
