"""Setting up tables."""

import datetime as dt

from roulette_site.common.audit import audited, facts_of, record
from roulette_site.common.errors import RuleBroken
from tables.models import NumberSource, RulesStatus, SpecificRules, Table, TableKind, TableState
from wallets.models import Account, AccountKind, Unit
from wallets.services.ledger import operator_account


class RulesNotInForce(RuleBroken):
    """A table plays under approved specific rules that are in force, and under no others (preamble 3)."""

    code = "rules_not_in_force"


class SourceNotLawful(RuleBroken):
    """The rulebook does not take its number from there; a French one on a drawn table plays in play units only."""

    code = "source_not_lawful"


class ZeroChoiceNotOffered(RuleBroken):
    """Rounds of a rulebook that gives the player a choice at zero cannot be played on the site yet."""

    code = "zero_choice_not_offered"


class MinimumOffStep(RuleBroken):
    """The minimum is a multiple of the stake step, or no stake could equal it."""

    code = "minimum_off_step"


def set_up_table(
    *,
    slug: str,
    name: str,
    kind: TableKind,
    unit: Unit,
    number_source: NumberSource,
    rules: SpecificRules,
    minimum_cents: int,
    at: dt.datetime,
    actor: str = "system",
) -> Table:
    """Make a table with its in-play account, open. Raises where its rules do not let it play."""
    rulebook = rules.rulebook
    if rules.status != RulesStatus.APPROVED:
        raise RulesNotInForce(f"{rules} is not approved.")
    if rules.in_force_from is None or at < rules.in_force_from:
        raise RulesNotInForce(f"{rules} is not in force yet.")
    if str(number_source) not in rulebook.lawful_sources and unit != Unit.DEMO:
        raise SourceNotLawful(f"{rulebook.title} does not take its number from a {number_source} ball for money.")
    if rulebook.zero_rule.offers_choice:
        raise ZeroChoiceNotOffered(
            f"{rulebook.title} gives the player a choice at zero, which tables do not offer yet."
        )
    if minimum_cents % rules.stake_step_cents:
        raise MinimumOffStep("The minimum must be a multiple of the stake step.")
    operator_account(kind=AccountKind.HOUSE, unit=unit)
    with audited():
        in_play = Account.objects.create(kind=AccountKind.IN_PLAY, unit=unit)
        table = Table.objects.create(
            slug=slug,
            name=name,
            kind=kind,
            unit=unit,
            number_source=number_source,
            rules=rules,
            minimum_cents=minimum_cents,
            state=TableState.OPEN,
            in_play=in_play,
        )
        record(
            act="table_set_up",
            actor=actor,
            subject=("table", table.pk),
            after=facts_of(table, "slug", "name", "kind", "unit", "number_source", "rules", "minimum_cents", "state"),
            at=at,
        )
    return table
