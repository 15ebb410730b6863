"""What the database refuses beyond its CHECKs (docs/architecture.md, Money and Protection).

A transfer that joins two units or two players, and whatever would loosen what protects a player otherwise than he, or
two people, may.
"""

from roulette_site.common.guards import DatabaseObject, postgresql_function, postgresql_trigger

_WRONG_UNITS = "d.unit <> c.unit OR d.unit <> {new}.unit"
_TWO_PLAYERS = "d.player_id <> c.player_id"

# SQLite's days are numbers, and lose a little.
_DAYS = {
    "sqlite": "julianday({later}) - julianday({earlier}) > {days} - 0.00001",
    "postgresql": "{later} - {earlier} >= interval '{days} days'",
}
_MINE = "'player:' || NEW.player_id"
# The value that the same side has set before, if any, and whether NEW is looser.
_BEFORE = """SELECT l.{column} FROM wallets_limit l WHERE l.player_id = NEW.player_id AND l.side = NEW.side
    AND l.kind = NEW.kind AND l.period = NEW.period ORDER BY l.id DESC LIMIT 1"""
_VALUE_BEFORE = _BEFORE.format(column="value")
_LOOSER = f"({_VALUE_BEFORE}) IS NOT NULL AND (NEW.value IS NULL OR NEW.value > ({_VALUE_BEFORE}))"


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
            "wallets_exclusionend",
            f"""EXISTS (SELECT 1 FROM wallets_exclusion e WHERE e.id = NEW.exclusion_id AND (
    e.kind = 'pause'
    OR (e.kind = 'self' AND (NEW.actor <> 'player:' || e.player_id OR NOT ({three_months} AND {a_month})))
    OR (e.kind NOT IN ('self', 'pause') AND NEW.second_actor IN ('', NEW.actor))))""",
            "nobody ends an exclusion sooner",
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


_PROTECTED = ("wallets_limit", "wallets_loosening", "wallets_exclusion", "wallets_exclusionend")

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
)

# One statement-level trigger over all rows that a statement wrote: a settlement writes thousands at once.
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
)
