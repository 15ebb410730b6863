"""What the database refuses of a four-eyes request beyond its frozen columns: once it is answered it stays so."""

from .objects import DatabaseObject
from .postgresql import postgresql_function, postgresql_trigger

_TABLE, _NAME = "common_foureyesrequest", "common_foureyesrequest_one_way"
_REFUSAL = f"{_TABLE}: a request is answered once"
_WRONG = "NEW.state <> OLD.state AND OLD.state <> 'open'"

SQLITE = (
    DatabaseObject(
        name=_NAME,
        table=_TABLE,
        create=f"""CREATE TRIGGER {_NAME} BEFORE UPDATE ON {_TABLE}
WHEN {_WRONG}
BEGIN
  SELECT RAISE(ABORT, '{_REFUSAL}');
END""",
        drop=f"DROP TRIGGER IF EXISTS {_NAME}",
    ),
)
POSTGRESQL = (
    postgresql_function(
        f"{_NAME}_refuse",
        "() RETURNS trigger",
        f"\nBEGIN\n  RAISE EXCEPTION '{_REFUSAL}' USING ERRCODE = 'restrict_violation';\nEND",
    ),
    postgresql_trigger(_NAME, _TABLE, "BEFORE UPDATE", f"FOR EACH ROW WHEN ({_WRONG})", f"{_NAME}_refuse"),
)
