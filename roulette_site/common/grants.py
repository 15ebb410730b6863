"""What the site's own role may do on PostgreSQL, where migrations are run by another one that owns the tables.

A role that owns a table can drop its triggers. The site's cannot, and what is append-only it cannot even try to change.
"""

from django.conf import settings
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from . import guards

_READ_ONLY = {"django_migrations"}


def grant(connection: BaseDatabaseWrapper) -> None:
    """Give the role SITE_DATABASE_ROLE what the site needs and nothing else; does nothing where none is named."""
    role = settings.SITE_DATABASE_ROLE
    if not role or connection.vendor != "postgresql":
        return
    name = connection.ops.quote_name(role)
    kept = {guard.table: "SELECT, INSERT" if guard.append_only else "SELECT, INSERT, UPDATE" for guard in guards.GUARDS}
    kept |= dict.fromkeys(_READ_ONLY, "SELECT")
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(f"GRANT USAGE ON SCHEMA public TO {name}")
        cursor.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {name}")
        for table in connection.introspection.table_names(cursor):
            target = connection.ops.quote_name(table)
            cursor.execute(f"REVOKE ALL ON {target} FROM {name}")
            cursor.execute(f"GRANT {kept.get(table, 'SELECT, INSERT, UPDATE, DELETE')} ON {target} TO {name}")


def owns_tables(connection: BaseDatabaseWrapper) -> bool:
    """Whether this connection's role owns a guarded table (on PostgreSQL; SQLite knows no owner)."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY(%s)"
            " AND tableowner = current_user)",
            [[guard.table for guard in guards.GUARDS]],
        )
        (owns,) = cursor.fetchone()
    return bool(owns)
