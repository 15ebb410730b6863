"""The proofs of this package, for `manage.py verify`: each module has those of one subject."""

from . import cash, decided, players, transfers

CHECKS = transfers.CHECKS + players.CHECKS + cash.CHECKS + decided.CHECKS
