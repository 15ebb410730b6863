"""Empty tables after a test with transactions of its own, and put back what `migrate` had laid in them.

Django's own way truncates each table, makes rights and groups anew and lets every guard be laid again. On PostgreSQL
that takes two seconds a test, which is most of what such a test takes.
"""

from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import Model

from roulette_site.common import guards


@dataclass
class Laid:
    """The rows that stand in the tables when the database is new, table by table."""

    rows: dict[type[Model], list[dict[str, Any]]] = field(default_factory=dict)

    def note(self) -> None:
        """Remember what there is now."""
        self.rows = {model: list(model._base_manager.values()) for model in _models() if _is_filled(model)}

    def restore(self) -> None:
        """Let there be what was noted, and nothing else."""
        with transaction.atomic(), connection.cursor() as cursor:
            filled = [model for model in _models() if _is_filled(model)]
            _guard(cursor, filled, are_on=False)
            # Foreign keys are looked at when all is as it was.
            for model in filled:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")
            for model, rows in self.rows.items():
                model._base_manager.bulk_create(model(**row) for row in rows)
            connection.check_constraints()
            _guard(cursor, filled, are_on=True)
        ContentType.objects.clear_cache()


def _models() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def _is_filled(model: type[Model]) -> bool:
    return model._base_manager.exists()


def _guard(cursor: Any, models: list[type[Model]], *, are_on: bool) -> None:
    if connection.vendor == "sqlite":
        if are_on:
            guards.install(connection)
        else:
            guards.uninstall(connection)
        return
    for model in models:
        verb = "ENABLE" if are_on else "DISABLE"
        cursor.execute(f"ALTER TABLE {connection.ops.quote_name(model._meta.db_table)} {verb} TRIGGER USER")
