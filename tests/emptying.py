"""Empty tables after a test with transactions of its own, and put back what `migrate` had laid in them.

Django's own way truncates each table, makes rights and groups anew and lets every guard be laid again. On PostgreSQL
that takes two seconds a test, which is most of what such a test takes.
"""

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import Model

from .unguarded import unguarded


@dataclass
class Laid:
    """What stands in the database when it is new: on SQLite a copy of the whole, else the rows table by table."""

    rows: dict[type[Model], list[dict[str, Any]]] = field(default_factory=dict)
    copy: sqlite3.Connection | None = None

    def note(self) -> None:
        """Remember what there is now."""
        if connection.vendor == "sqlite":
            self.copy = sqlite3.connect(":memory:", check_same_thread=False)
            connection.connection.backup(self.copy)
        else:
            self.rows = {model: list(model._base_manager.values()) for model in _models() if _is_filled(model)}

    def restore(self) -> None:
        """Let there be what was noted, and nothing else."""
        if self.copy is not None:
            connection.ensure_connection()
            self.copy.backup(connection.connection)
        else:
            self._restore_rows()
        ContentType.objects.clear_cache()

    def _restore_rows(self) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            filled = [model for model in _models() if _is_filled(model)]
            tables = [connection.ops.quote_name(model._meta.db_table) for model in filled]
            # Foreign keys are looked at when all is as it was.
            with unguarded(cursor, tables):
                for table in tables:
                    cursor.execute(f"DELETE FROM {table}")
                for model, rows in self.rows.items():
                    model._base_manager.bulk_create(model(**row) for row in rows)


def _models() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def _is_filled(model: type[Model]) -> bool:
    return model._base_manager.exists()
