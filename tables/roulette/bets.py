"""A bet: a stake on a spot."""

from dataclasses import dataclass

from .cloth import Spot


@dataclass(frozen=True, slots=True)
class Bet:
    """Money on one spot in one round, in cents (rule 3a)."""

    spot: Spot
    stake_cents: int
