"""What the database refuses of rounds and of specific rules beyond their frozen columns: the way is one way."""

from roulette_site.common.guards import DatabaseObject, postgresql_function, postgresql_trigger
from tables.models.game_round import RoundState
from tables.models.specific_rules import RulesStatus

_S, _R = RoundState, RulesStatus
ROUND_STEPS = (
    (_S.BETTING, _S.CLOSED), (_S.BETTING, _S.UNUSED), (_S.BETTING, _S.VOID),
    (_S.CLOSED, _S.DRAWN), (_S.CLOSED, _S.VOID),
    (_S.DRAWN, _S.SETTLED),
)  # fmt: skip
RULES_STEPS = (
    (_R.DRAFT, _R.SUBMITTED), (_R.DRAFT, _R.APPROVED), (_R.SUBMITTED, _R.APPROVED), (_R.SUBMITTED, _R.REFUSED),
    (_R.APPROVED, _R.RETIRED),
)  # fmt: skip
# What the player and the clock may change while bets are open, and nobody after.
_WHILE_BETTING = ("client_seed", "closes_at")
# What a version says, and what is said of its approval.
SAYS = (
    "split_dozens_offered", "split_columns_offered", "call_bets", "total_limit_cents", "stake_step_cents",
    "launch_within_seconds",
)  # fmt: skip
APPROVAL = ("approval_reference", "approved_at", "in_force_from")
# What an approval is of: with it the audit trail says what was approved.
APPROVED_FACTS = ("rulebook_code", "rulebook_edition", "version", *SAYS, *APPROVAL)


def _is_other_step(column: str, steps: tuple[tuple[str, str], ...]) -> str:
    allowed = " OR ".join(f"(OLD.{column} = '{old}' AND NEW.{column} = '{new}')" for old, new in steps)
    return f"(NEW.{column} <> OLD.{column} AND NOT ({allowed}))"


def _changes(columns: tuple[str, ...], differs: str) -> str:
    return " OR ".join(f"NEW.{column} {differs} OLD.{column}" for column in columns)


def _round_goes_wrong(differs: str) -> str:
    late = f"(OLD.state <> '{_S.BETTING}' AND ({_changes(_WHILE_BETTING, differs)}))"
    return f"{_is_other_step('state', ROUND_STEPS)} OR {late}"


def _rules_go_wrong(differs: str) -> str:
    # What was put to the regulator is what was approved, and the words of an approval stand for ever.
    submitted = f"(OLD.status <> '{_R.DRAFT}' AND ({_changes(SAYS, differs)}))"
    decided = f"(OLD.status NOT IN ('{_R.DRAFT}', '{_R.SUBMITTED}') AND ({_changes(APPROVAL, differs)}))"
    return f"{_is_other_step('status', RULES_STEPS)} OR {submitted} OR {decided}"


# A seed that is shown while bets are open, or before the number stands, tells the number.
_TOO_EARLY = (
    "EXISTS (SELECT 1 FROM tables_gameround r WHERE r.id = NEW.game_round_id"
    f" AND r.state IN ('{_S.BETTING}', '{_S.CLOSED}'))"
)
_NO_WAY_BACK, _EARLY = "there is no way back", "the seed is shown after the number"


def _sqlite(name: str, table: str, when: str, condition: str, refusal: str) -> DatabaseObject:
    return DatabaseObject(
        name=name,
        table=table,
        create=f"""CREATE TRIGGER {name} BEFORE {when} ON {table}
WHEN {condition}
BEGIN
  SELECT RAISE(ABORT, '{table}: {refusal}');
END""",
        drop=f"DROP TRIGGER IF EXISTS {name}",
    )


def _postgresql(name: str, table: str, condition: str) -> tuple[DatabaseObject, DatabaseObject]:
    refusal = f"RAISE EXCEPTION '{table}: {_NO_WAY_BACK}' USING ERRCODE = 'restrict_violation'"
    return (
        postgresql_function(f"{name}_refuse", "() RETURNS trigger", f"\nBEGIN\n  {refusal};\nEND"),
        postgresql_trigger(name, table, "BEFORE UPDATE", f"FOR EACH ROW WHEN ({condition})", f"{name}_refuse"),
    )


SQLITE = (
    _sqlite("tables_gameround_one_way", "tables_gameround", "UPDATE", _round_goes_wrong("IS NOT"), _NO_WAY_BACK),
    _sqlite("tables_specificrules_one_way", "tables_specificrules", "UPDATE", _rules_go_wrong("IS NOT"), _NO_WAY_BACK),
    _sqlite("tables_rounddraw_in_time", "tables_rounddraw", "INSERT", _TOO_EARLY, _EARLY),
)
POSTGRESQL = (
    *_postgresql("tables_gameround_one_way", "tables_gameround", _round_goes_wrong("IS DISTINCT FROM")),
    *_postgresql("tables_specificrules_one_way", "tables_specificrules", _rules_go_wrong("IS DISTINCT FROM")),
    # The condition of a trigger may hold no query there, so the function asks.
    postgresql_function(
        "tables_rounddraw_in_time_refuse",
        "() RETURNS trigger",
        f"""
BEGIN
  IF {_TOO_EARLY} THEN
    RAISE EXCEPTION 'tables_rounddraw: {_EARLY}' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END""",
    ),
    postgresql_trigger(
        "tables_rounddraw_in_time",
        "tables_rounddraw",
        "BEFORE INSERT",
        "FOR EACH ROW",
        "tables_rounddraw_in_time_refuse",
    ),
)
