"""The operator's specific rules: writing a version, and the gate it must pass to be approved (preamble 2 to 4)."""

import datetime as dt
from fractions import Fraction

from django.db import transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from tables.models import RulesStatus, SpecificRules
from tables.roulette.rulebook import Rulebook
from tables.roulette.settlement import returned_cents, spot_results
from tables.roulette.wheel import WHEEL

# Rounding halves up gives at most a cent a number; from this many steps on it is under a thousandth of the stake.
_STEPS_CHECKED = 40


class ReturnTooHigh(RuleBroken):
    """An allowed stake would return the player 100 % or more."""

    code = "return_too_high"


class CallBetsNotInRulebook(RuleBroken):
    """The rulebook has no such call bets."""

    code = "call_bets_not_in_rulebook"


def approve_rules(
    *, rules: SpecificRules, reference: str, in_force_from: dt.datetime, at: dt.datetime
) -> SpecificRules:
    """Record the regulator's approval of a version and have its page published.

    Raises ReturnTooHigh or CallBetsNotInRulebook where the version must not be approved as it stands.
    """
    rulebook = rules.rulebook
    if unknown := set(rules.call_bets) - set(rulebook.call_bets):
        raise CallBetsNotInRulebook(f"{rulebook.title} has no call bets {', '.join(sorted(unknown))}.")
    check_returns(rulebook, rules.stake_step_cents)
    with transaction.atomic():
        rules.status = RulesStatus.APPROVED
        rules.approval_reference = reference
        rules.approved_at = at
        rules.in_force_from = in_force_from
        rules.save()
        after_commit("tables.tasks.publish_rules", "background", rules_id=rules.pk)
    return rules


def check_returns(rulebook: Rulebook, stake_step_cents: int) -> None:
    """Raise ReturnTooHigh if a stake of some steps on some spot is expected to return 100 % or more."""
    for step in range(1, _STEPS_CHECKED + 1):
        stake = step * stake_step_cents
        expected: dict[int, int] = {}
        for number in WHEEL:
            for result in spot_results(rulebook, number):
                # Where the player has a choice at zero, half back is what he can take at once.
                back = (stake + 1) // 2 if result.kind == "zero_choice" else returned_cents(result, stake)
                expected[result.spot.index] = expected.get(result.spot.index, 0) + back
        for index, total in expected.items():
            if Fraction(total, len(WHEEL) * stake) >= 1:
                raise ReturnTooHigh(
                    f"{stake} cents on spot {index} would return 100 % or more: the stake step is too small.",
                    stake_cents=stake,
                    spot=index,
                )
