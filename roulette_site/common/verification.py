"""Proving the books from the rows alone: named checks over one snapshot, in constant memory, blocking nobody."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction

from . import guards
from .sql import portable


@dataclass(frozen=True)
class Check:
    """A named proof; `find` yields a sentence for each difference that it meets."""

    name: str
    promise: str
    find: Callable[[], Iterator[str]]


@contextmanager
def apart() -> Iterator[None]:
    """Let one check fail without spoiling the snapshot for the next."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield
        return
    yield


def differences(sql: str, parameters: list[Any] | dict[str, Any], sentence: str) -> Iterator[str]:
    """Run a query whose every row is a difference and put each row into `sentence`.

    What may be NULL on either side is compared by IS DISTINCT FROM: `<>` lets it pass.
    """
    with connection.cursor() as cursor:
        cursor.execute(portable(sql), parameters)
        while rows := cursor.fetchmany(500):
            for row in rows:
                yield sentence.format(*row)


def _guards() -> Iterator[str]:
    for name in guards.find_missing(connection):
        yield f"the guard {name} does not stand as it was laid"
    for name in guards.find_foreign(connection):
        yield f"the trigger {name} was laid by somebody else"


def _references() -> Iterator[str]:
    """Follow every reference of every row: the other checks join tables, and what points at nothing drops out there."""
    quote = connection.ops.quote_name
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_fields:
            if not isinstance(field, models.ForeignKey) or not model._meta.managed:
                continue
            target = field.target_field
            table, parent = model._meta.db_table, target.model._meta.db_table
            key, column, pointed_at = (quote(str(one.column)) for one in (model._meta.pk, field, target))
            yield from differences(
                f"SELECT c.{key}, c.{column} FROM {quote(table)} c"
                f" LEFT JOIN {quote(parent)} p ON p.{pointed_at} = c.{column}"
                f" WHERE c.{column} IS NOT NULL AND p.{pointed_at} IS NULL ORDER BY c.{key}",
                [],
                f"{table} {{0}}: {field.column} is {{1}}, and {parent} has no such row",
            )


CHECKS = (
    Check("guards", "every trigger and function of the database stands as it was laid, and no other trigger", _guards),
    Check("references", "no row points at a row that is not there", _references),
)
