"""The operator's specific rules: writing a version, and the gate it must pass to be approved (preamble 2 to 4)."""

import datetime as dt
from fractions import Fraction
from functools import lru_cache

from roulette_site.common.audit import audited, facts_of, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from tables.guards import APPROVED_FACTS
from tables.models import RulesStatus, SpecificRules
from tables.roulette.prison import withdrawable_cents
from tables.roulette.rulebook import Rulebook
from tables.roulette.settlement import returned_cents, spot_results
from tables.roulette.wheel import WHEEL

# Rounding up gives at most half a cent on each of 37 numbers, against an edge of at least half the stake over them: a
# stake of as many cents as this cannot reach 100 %, and a step is a cent at least.
_STEPS_CHECKED = 40

# What an approval is of, as the audit trail keeps it: `verify` holds the version to it for ever.
_APPROVED = (*APPROVED_FACTS, "status")


class ReturnTooHigh(RuleBroken):
    """An allowed stake would return the player 100 % or more."""

    code = "return_too_high"


class RulesDecided(RuleBroken):
    """A version is answered once (preamble 3)."""

    code = "rules_decided"


class CallBetsNotInRulebook(RuleBroken):
    """The rulebook has no such call bets."""

    code = "call_bets_not_in_rulebook"


def approve_rules(
    *, rules: SpecificRules, reference: str, in_force_from: dt.datetime, at: dt.datetime, actor: str = "system"
) -> SpecificRules:
    """Record the regulator's approval of a version and have its page published.

    Raises RulesDecided where it was answered before, ReturnTooHigh or CallBetsNotInRulebook where the version must not
    be approved as it stands.
    """
    rulebook = rules.rulebook
    if rules.status not in (RulesStatus.DRAFT, RulesStatus.SUBMITTED):
        raise RulesDecided(f"{rules} is {rules.get_status_display()} already.")
    if unknown := set(rules.call_bets) - set(rulebook.call_bets):
        raise CallBetsNotInRulebook(f"{rulebook.title} has no call bets {', '.join(sorted(unknown))}.")
    check_returns(rulebook, rules.stake_step_cents)
    with audited():
        before = str(rules.status)
        rules.status = RulesStatus.APPROVED
        rules.approval_reference = reference
        rules.approved_at = at
        rules.in_force_from = in_force_from
        rules.save()
        # Instants and numbers as the database gives them back, and `verify` reads them.
        rules.refresh_from_db()
        record(
            act="rules_approved",
            actor=actor,
            subject=("rules", rules.pk),
            before={"status": before},
            after=facts_of(rules, *_APPROVED),
            at=at,
        )
        after_commit("tables.tasks.publish_rules", "background", rules_id=rules.pk)
    return rules


def check_returns(rulebook: Rulebook, stake_step_cents: int) -> None:
    """Raise ReturnTooHigh if a stake of some steps on some spot is expected to return 100 % or more."""
    found = _stake_that_returns_all(rulebook, stake_step_cents)
    if found is not None:
        stake, index = found
        raise ReturnTooHigh(
            f"{stake} cents on spot {index} would return 100 % or more: the stake step is too small.",
            stake_cents=stake,
            spot=index,
        )


@lru_cache(maxsize=64)
def _stake_that_returns_all(rulebook: Rulebook, stake_step_cents: int) -> tuple[int, int] | None:
    """The smallest stake, and its spot, that is expected to return 100 % or more; a fifth of a second, so kept."""
    for step in range(1, _STEPS_CHECKED + 1):
        stake = step * stake_step_cents
        expected: dict[int, int] = {}
        for number in WHEEL:
            for result in spot_results(rulebook, number):
                # Where the player has a choice at zero, half back is what he can take at once.
                waits = result.kind == "zero_choice"
                back = withdrawable_cents(stake, 1) if waits else returned_cents(result, stake)
                expected[result.spot.index] = expected.get(result.spot.index, 0) + back
        for index, total in expected.items():
            if Fraction(total, len(WHEEL) * stake) >= 1:
                return stake, index
    return None
