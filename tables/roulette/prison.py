"""Prison (roulette française, "Dans le cas où le numéro sortant est le zéro"): what a stake is worth after each zero.

With s the stake and k the zeros so far: it can be taken back for ceil(s / 2^k); if it then wins it is freed for
ceil(s / 2^(k-1)), without a prize; otherwise it is lost (reading 6).
"""

from .rulebook import round_up


def withdrawable_cents(stake_cents: int, zeros: int) -> int:
    """Return what the player can take back after so many zeros; also what the sitting's end refunds."""
    return round_up(stake_cents, 2**zeros)


def freed_cents(stake_cents: int, zeros: int) -> int:
    """Return what goes free of a stake that was in prison for so many zeros and then wins."""
    return round_up(stake_cents, 2 ** (zeros - 1))
