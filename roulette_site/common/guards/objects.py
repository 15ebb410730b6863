"""What is refused on a table, and the trigger or function that refuses it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guard:
    """What is refused on one table. Without any columns named, everything but INSERT."""

    table: str
    frozen: tuple[str, ...] = ()
    write_once: tuple[str, ...] = ()
    key: str = "id"

    @property
    def append_only(self) -> bool:
        return not (self.frozen or self.write_once)

    def changed(self, differs: str) -> str:
        """SQL that says whether an UPDATE touches what is fixed; `differs` compares as the database knows NULL."""
        parts = [f"NEW.{c} {differs} OLD.{c}" for c in self.frozen]
        parts += [f"(OLD.{c} IS NOT NULL AND NEW.{c} {differs} OLD.{c})" for c in self.write_once]
        return " OR ".join(parts)


@dataclass(frozen=True)
class DatabaseObject:
    """A trigger or function as it ought to stand: `name` on `table` (empty for a function), made by `create`."""

    name: str
    table: str
    create: str
    drop: str
