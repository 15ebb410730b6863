"""What the database refuses of a transfer beyond its CHECKs: two units, two players (docs/architecture.md, Money)."""

from roulette_site.common.guards import DatabaseObject, postgresql_function, postgresql_trigger

_WRONG_UNITS = "d.unit <> c.unit OR d.unit <> {new}.unit"
_TWO_PLAYERS = "d.player_id <> c.player_id"

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
)

# One statement-level trigger over all rows that a statement wrote: a settlement writes thousands at once.
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
)
