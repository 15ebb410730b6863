"""What every app stands on."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate
from django.utils import timezone

from . import grants, guards
from .guards import requests as requests_guards

AUDIT_TABLE = "common_auditentry"


def lay_guards(sender: AppConfig, using: str, **kwargs: Any) -> None:
    """Lay the database's guards after every migrate, whichever app it was for."""
    guards.install(connections[using])


def lift_guards(sender: AppConfig, using: str, plan: list[Any], **kwargs: Any) -> None:
    """Lift the triggers while tables change shape: SQLite rebuilds a table by moving its rows to another.

    Functions stay: bets are placed while a migration runs. Where nothing is to be migrated nothing is lifted.
    """
    if plan:
        guards.lift(connections[using])


def grant_to_site(sender: AppConfig, using: str, **kwargs: Any) -> None:
    """Give the site's role its rights on tables that the migration may have made."""
    grants.grant(connections[using])


def lay_groups(sender: AppConfig, using: str, **kwargs: Any) -> None:
    """Lay the roles of the staff, once the tables of groups and of the audit trail are there."""
    if {"auth_group", AUDIT_TABLE} <= set(connections[using].introspection.table_names()):
        # Models are there now, and not before.
        from . import roles

        roles.lay_roles(at=timezone.now())


def check_guards(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Report guards that do not stand (runs where databases are checked: migrate, `check --database default`).

    A warning, since the cure is to run migrate, which an error would stop; `verify` and /readyz are the ones that fail.
    """
    said: list[CheckMessage] = []
    for alias in databases or ():
        if not connections[alias].introspection.table_names():
            # The first migrate has not made them yet.
            continue
        said += [
            Warning(
                f"The database's guard {name} does not stand as it was laid.", id="common.W001", hint="Run migrate."
            )
            for name in guards.find_missing(connections[alias])
        ]
        if not (settings.LOCAL or settings.SITE_DATABASE_ROLE) and grants.owns_tables(connections[alias]):
            hint = "Let another role own and migrate them, and name this one to it as SITE_DATABASE_ROLE."
            said.append(
                Warning("The site's role owns its tables: it could drop their guards.", id="common.W002", hint=hint)
            )
    return said


class CommonConfig(AppConfig):
    name = "roulette_site.common"
    label = "common"
    verbose_name = "House"

    def ready(self) -> None:
        guards.register("sqlite", *requests_guards.SQLITE)
        guards.register("postgresql", *requests_guards.POSTGRESQL)
        pre_migrate.connect(lift_guards, sender=self, dispatch_uid="common.lift_guards")
        post_migrate.connect(lay_guards, sender=self, dispatch_uid="common.lay_guards")
        post_migrate.connect(grant_to_site, sender=self, dispatch_uid="common.grant_to_site")
        post_migrate.connect(lay_groups, sender=self, dispatch_uid="common.lay_groups")
        register(check_guards, Tags.database)
