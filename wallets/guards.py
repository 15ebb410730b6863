"""What the database refuses beyond its CHECKs (docs/architecture.md, Money and Protection).

Of money: two units, two players, corrections beyond what they correct, and cash requests that leave their one way. Of
players: whatever would loosen what protects one otherwise than he, or two people, may.
"""

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


# SQLite's days are numbers, and lose a little.
_DAYS = {
    "sqlite": "julianday({later}) - julianday({earlier}) > {days} - 0.00001",
    "postgresql": "{later} - {earlier} >= interval '{days} days'",
}
_MINE = "'player:' || NEW.player_id"
# The house's own registry of restricted persons, whose entries two people end.
RESTRICTED_REGISTRY = "register:restricted"
# The value that the same side has set before, if any, and whether NEW is looser.
_BEFORE = """SELECT l.{column} FROM wallets_limit l WHERE l.player_id = NEW.player_id AND l.side = NEW.side
    AND l.kind = NEW.kind AND l.period = NEW.period ORDER BY l.id DESC LIMIT 1"""
_VALUE_BEFORE = _BEFORE.format(column="value")
_LOOSER = f"({_VALUE_BEFORE}) IS NOT NULL AND (NEW.value IS NULL OR NEW.value > ({_VALUE_BEFORE}))"


# What the register last said of the player of `{player}`, if it has ever said anything.
_LAST_ANSWER = """(SELECT c.{column} FROM wallets_registercheck c WHERE c.player_id = {player}
    AND c.answer IN ('listed', 'not_listed') ORDER BY c.asked_at DESC, c.id DESC LIMIT 1)"""
_IS_REGISTER = "substr(NEW.actor, 1, 9) = 'register:'"


def _last(column: str, player: str) -> str:
    return _LAST_ANSWER.format(column=column, player=player)


def _protection(vendor: str) -> tuple[tuple[str, str, str], ...]:
    """(table, when a row is refused, why) for each rule, in the words of the database."""
    same = "IS" if vendor == "sqlite" else "IS NOT DISTINCT FROM"
    # Three months are 89 days at least, a month 28.
    three_months = _DAYS[vendor].format(later="NEW.ends_at", earlier="e.starts_at", days=89)
    a_month = _DAYS[vendor].format(later="NEW.ends_at", earlier="NEW.asked_at", days=28)
    a_day = _DAYS[vendor].format(later="NEW.confirmable_at", earlier="NEW.asked_at", days=1)
    return (
        ("wallets_limit", f"NEW.side = 'player' AND NEW.actor <> {_MINE}", "a player sets his own limits alone"),
        (
            "wallets_limit",
            f"""NEW.side = 'player' AND {_LOOSER} AND NOT EXISTS (
    SELECT 1 FROM wallets_loosening w WHERE w.id = NEW.loosening_id AND w.player_id = NEW.player_id
      AND w.kind = NEW.kind AND w.period = NEW.period AND w.value {same} NEW.value
      AND w.departs_from_id = ({_BEFORE.format(column="id")})
      AND NEW.set_at >= w.confirmable_at AND NEW.set_at < w.lapses_at)""",
            "a looser limit is asked for a day before",
        ),
        (
            "wallets_limit",
            f"NEW.side = 'operator' AND {_LOOSER} AND NEW.second_actor IN ('', NEW.actor)",
            "two people loosen a limit of the operator",
        ),
        ("wallets_loosening", f"NOT ({a_day})", "a looser limit waits a day"),
        (
            "wallets_exclusion",
            f"NEW.kind IN ('self', 'pause') AND NEW.actor <> {_MINE}",
            "a player excludes himself alone",
        ),
        (
            "wallets_exclusion",
            f"""NEW.kind = 'register'
    AND NOT ({_IS_REGISTER} AND COALESCE({_last("answer", "NEW.player_id")}, '') = 'listed')""",
            "a register excludes whom it lists",
        ),
        (
            "wallets_exclusionend",
            f"""EXISTS (SELECT 1 FROM wallets_exclusion e WHERE e.id = NEW.exclusion_id AND (
    e.kind = 'pause'
    OR (e.kind = 'self' AND (NEW.actor <> 'player:' || e.player_id OR NOT ({three_months} AND {a_month})))
    OR (e.kind = 'register' AND NOT ({_IS_REGISTER}
      AND COALESCE({_last("answer", "e.player_id")}, '') = 'not_listed'))
    OR (e.kind NOT IN ('self', 'pause', 'register') AND NEW.second_actor IN ('', NEW.actor))))""",
            "nobody ends an exclusion sooner",
        ),
        (
            "wallets_standingchange",
            f"""(NEW.field = 'standing' AND NEW.before = 'suspended' AND NEW.after = 'active'
    OR NEW.field = 'is_restricted' AND NEW.after = 'false' AND NEW.actor <> '{RESTRICTED_REGISTRY}')
    AND NEW.second_actor IN ('', NEW.actor)""",
            "two people let a player play again",
        ),
    )


def _protection_of(table: str, vendor: str) -> list[tuple[str, str]]:
    return [(condition, why) for of, condition, why in _protection(vendor) if of == table]


def _sqlite_protection(table: str) -> DatabaseObject:
    cases = "\n".join(
        f"  SELECT RAISE(ABORT, '{table}: {why}') WHERE {condition};"
        for condition, why in _protection_of(table, "sqlite")
    )
    return DatabaseObject(
        name=f"{table}_protects",
        table=table,
        create=f"CREATE TRIGGER {table}_protects BEFORE INSERT ON {table}\nBEGIN\n{cases}\nEND",
        drop=f"DROP TRIGGER IF EXISTS {table}_protects",
    )


def _postgresql_protection(table: str) -> tuple[DatabaseObject, DatabaseObject]:
    cases = "\n".join(
        f"  IF {condition} THEN RAISE EXCEPTION '{table}: {why}' USING ERRCODE = 'restrict_violation'; END IF;"
        for condition, why in _protection_of(table, "postgresql")
    )
    return (
        postgresql_function(f"{table}_check_protects", "() RETURNS trigger", f"\nBEGIN\n{cases}\n  RETURN NEW;\nEND"),
        postgresql_trigger(f"{table}_protects", table, "BEFORE INSERT", "FOR EACH ROW", f"{table}_check_protects"),
    )


# A restricted person is forgotten when nothing bars him any more, and never made into another one.
_FORGETS = " OR ".join(
    f"(NEW.{name} <> OLD.{name} AND (NEW.{name} <> '' OR (OLD.ends_at IS NULL AND OLD.ended_at IS NULL)))"
    for name in ("document_hash", "email_hash")
)
_UNFORGOTTEN = "wallets_restrictedentry: whom an entry names is not changed, and forgotten once it has ended"
# Where a player is paid out to is erased, and never another place.
_OTHER_PLACE = " OR ".join(
    f"(NEW.{name} <> OLD.{name} AND NEW.{name} <> '')" for name in ("iban_sealed", "iban_hash", "masked")
)
_NAMED = "wallets_payoutaddress: where a player is paid out to is named once, and erased in the end"
# A member of the staff plays for points alone.
_FREES_STAFF = """OLD.is_restricted AND NOT NEW.is_restricted
  AND EXISTS (SELECT 1 FROM wallets_user u WHERE u.id = NEW.user_id AND u.is_staff)"""
_STAFF = "wallets_player: staff do not play for money"

_PROTECTED = (
    "wallets_limit", "wallets_loosening", "wallets_exclusion", "wallets_exclusionend", "wallets_standingchange",
)  # fmt: skip

SQLITE = (
    *map(_sqlite_protection, _PROTECTED),
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
    _sqlite("wallets_restrictedentry_forgets", "wallets_restrictedentry", "UPDATE", _FORGETS, _UNFORGOTTEN),
    _sqlite("wallets_payoutaddress_erases", "wallets_payoutaddress", "UPDATE", _OTHER_PLACE, _NAMED),
    _sqlite("wallets_player_staff", "wallets_player", "UPDATE", _FREES_STAFF, _STAFF),
    _sqlite("wallets_cashrequest_begins", "wallets_cashrequest", "INSERT", _BEGINS_LATE, _NO_WAY),
    _sqlite("wallets_cashrequest_one_way", "wallets_cashrequest", "UPDATE", _OTHER_STEP, _NO_WAY),
)

# One statement-level trigger over all rows that a statement wrote: a settlement writes thousands at once. Corrections
# are few: they are looked at one by one, after the statement, so that each sees those beside it. The lock lets two at
# once see each other, too: what is read after it has a snapshot later than the other's end.
POSTGRESQL = (
    *(one for table in _PROTECTED for one in _postgresql_protection(table)),
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
    _refusal("wallets_restrictedentry_refuse_change", _UNFORGOTTEN),
    postgresql_trigger(
        "wallets_restrictedentry_forgets",
        "wallets_restrictedentry",
        "BEFORE UPDATE",
        f"FOR EACH ROW WHEN ({_FORGETS})",
        "wallets_restrictedentry_refuse_change",
    ),
    _refusal("wallets_payoutaddress_refuse_change", _NAMED),
    postgresql_trigger(
        "wallets_payoutaddress_erases",
        "wallets_payoutaddress",
        "BEFORE UPDATE",
        f"FOR EACH ROW WHEN ({_OTHER_PLACE})",
        "wallets_payoutaddress_refuse_change",
    ),
    # A trigger's condition on PostgreSQL looks at no other table.
    postgresql_function(
        "wallets_player_refuse_staff",
        "() RETURNS trigger",
        f"\nBEGIN\n  IF {_FREES_STAFF} THEN\n    RAISE EXCEPTION '{_STAFF}' USING ERRCODE = 'restrict_violation';"
        "\n  END IF;\n  RETURN NEW;\nEND",
    ),
    postgresql_trigger(
        "wallets_player_staff",
        "wallets_player",
        "BEFORE UPDATE OF is_restricted",
        "FOR EACH ROW",
        "wallets_player_refuse_staff",
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
