"""The proofs of the game, from the rows alone."""

from . import bets, money, rounds, rules

CHECKS = (*money.CHECKS, *bets.CHECKS, *rounds.CHECKS, *rules.CHECKS)
