"""What the database refuses of money beyond its CHECKs: two units, two players, corrections beyond what they correct,
and cash requests that leave their one way (docs/architecture.md, Money)."""

from roulette_site.common.guards import DatabaseObject, postgresql_function, postgresql_trigger
from wallets.models.cash_request import CASH_STEPS, FIRST_STATE

# Advisory locks share one space of keys: corrections take those that leave 5 when divided by 16 (tables/locks.py).
CORRECTION_LOCK_SQL = "({id} * 16 + 5)"

_WRONG_UNITS = "d.unit <> c.unit OR d.unit <> {new}.unit"
_TWO_PLAYERS = "d.player_id <> c.player_id"
_BEYOND = "wallets_transfer: a correction goes back the way of what it corrects, and no further"
# What waits for a provider's word goes back when he has definitely refused it, and before that by nobody's hand.
_HELD = "wallets_transfer: a withdrawal that was not refused is not undone"
_IS_HELD = "SELECT 1 FROM wallets_cashrequest r WHERE r.held_id = NEW.corrects_id AND r.state <> 'refused'"
_IS_CORRECTION = "NEW.reason = 'correction' AND NEW.corrects_id IS NOT NULL"
_FIRST = (
    "SELECT 1 FROM wallets_transfer f WHERE f.id = NEW.corrects_id AND f.debit_id = NEW.credit_id"
    " AND f.credit_id = NEW.debit_id AND f.amount_cents >= {sum}"
)
_CORRECTED = (
    "(SELECT COALESCE(sum(o.amount_cents), 0) FROM wallets_transfer o"
    " WHERE o.corrects_id = NEW.corrects_id AND o.reason = 'correction')"
)

_NO_WAY = "wallets_cashrequest: there is no such step"
_FIRST_STEPS = " OR ".join(f"(NEW.kind = '{kind}' AND NEW.state = '{state}')" for kind, state in FIRST_STATE.items())
_STEPS = " OR ".join(
    f"(OLD.kind = '{kind}' AND OLD.state = '{old}' AND NEW.state = '{new}')"
    for kind, steps in CASH_STEPS.items()
    for old, new in steps
)
_BEGINS_LATE = f"NOT ({_FIRST_STEPS})"
_OTHER_STEP = f"NEW.state <> OLD.state AND NOT ({_STEPS})"


def _sqlite(name: str, table: str, when: str, condition: str, refusal: str) -> DatabaseObject:
    return DatabaseObject(
        name=name,
        table=table,
        create=f"""CREATE TRIGGER {name} BEFORE {when} ON {table}
WHEN {condition}
BEGIN
  SELECT RAISE(ABORT, '{refusal}');
END""",
        drop=f"DROP TRIGGER IF EXISTS {name}",
    )


def _refusal(name: str, refusal: str) -> DatabaseObject:
    body = f"\nBEGIN\n  RAISE EXCEPTION '{refusal}' USING ERRCODE = 'restrict_violation';\nEND"
    return postgresql_function(name, "() RETURNS trigger", body)


SQLITE = (
    DatabaseObject(
        name="wallets_transfer_joins",
        table="wallets_transfer",
        create=f"""CREATE TRIGGER wallets_transfer_joins BEFORE INSERT ON wallets_transfer
WHEN EXISTS (
  SELECT 1 FROM wallets_account d, wallets_account c
  WHERE d.id = NEW.debit_id AND c.id = NEW.credit_id AND ({_WRONG_UNITS.format(new="NEW")} OR {_TWO_PLAYERS})
)
BEGIN
  SELECT RAISE(ABORT, 'wallets_transfer: joins two units or two players');
END""",
        drop="DROP TRIGGER IF EXISTS wallets_transfer_joins",
    ),
    _sqlite(
        "wallets_transfer_corrections",
        "wallets_transfer",
        "INSERT",
        f"{_IS_CORRECTION} AND NOT EXISTS ({_FIRST.format(sum=f'NEW.amount_cents + {_CORRECTED}')})",
        _BEYOND,
    ),
    _sqlite("wallets_transfer_held", "wallets_transfer", "INSERT", f"{_IS_CORRECTION} AND EXISTS ({_IS_HELD})", _HELD),
    _sqlite("wallets_cashrequest_begins", "wallets_cashrequest", "INSERT", _BEGINS_LATE, _NO_WAY),
    _sqlite("wallets_cashrequest_one_way", "wallets_cashrequest", "UPDATE", _OTHER_STEP, _NO_WAY),
)

# One statement-level trigger over all rows that a statement wrote: a settlement writes thousands at once. Corrections
# are few: they are looked at one by one, after the statement, so that each sees those beside it. The lock lets two at
# once see each other, too: what is read after it has a snapshot later than the other's end.
POSTGRESQL = (
    postgresql_function(
        "wallets_transfer_check_joins",
        "() RETURNS trigger",
        f"""
BEGIN
  IF EXISTS (
    SELECT 1 FROM written n JOIN wallets_account d ON d.id = n.debit_id JOIN wallets_account c ON c.id = n.credit_id
    WHERE {_WRONG_UNITS.format(new="n")} OR {_TWO_PLAYERS}
  ) THEN
    RAISE EXCEPTION 'wallets_transfer: joins two units or two players' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END""",
    ),
    postgresql_trigger(
        "wallets_transfer_joins",
        "wallets_transfer",
        "AFTER INSERT",
        "REFERENCING NEW TABLE AS written FOR EACH STATEMENT",
        "wallets_transfer_check_joins",
    ),
    postgresql_function(
        "wallets_transfer_check_correction",
        "() RETURNS trigger",
        f"""
BEGIN
  PERFORM pg_advisory_xact_lock({CORRECTION_LOCK_SQL.format(id="NEW.corrects_id")});
  IF NOT EXISTS ({_FIRST.format(sum=_CORRECTED)}) THEN
    RAISE EXCEPTION '{_BEYOND}' USING ERRCODE = 'restrict_violation';
  END IF;
  IF EXISTS ({_IS_HELD}) THEN
    RAISE EXCEPTION '{_HELD}' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END""",
    ),
    postgresql_trigger(
        "wallets_transfer_corrections",
        "wallets_transfer",
        "AFTER INSERT",
        f"FOR EACH ROW WHEN ({_IS_CORRECTION})",
        "wallets_transfer_check_correction",
    ),
    _refusal("wallets_cashrequest_refuse_step", _NO_WAY),
    postgresql_trigger(
        "wallets_cashrequest_begins",
        "wallets_cashrequest",
        "BEFORE INSERT",
        f"FOR EACH ROW WHEN ({_BEGINS_LATE})",
        "wallets_cashrequest_refuse_step",
    ),
    postgresql_trigger(
        "wallets_cashrequest_one_way",
        "wallets_cashrequest",
        "BEFORE UPDATE",
        f"FOR EACH ROW WHEN ({_OTHER_STEP})",
        "wallets_cashrequest_refuse_step",
    ),
)
