"""The game."""

from django.apps import AppConfig

from roulette_site.common import guards as database_guards

from .placing.postgresql import FUNCTION


class TablesConfig(AppConfig):
    name = "tables"
    verbose_name = "The game"

    def ready(self) -> None:
        # Models are there now, and not before.
        from . import guards

        database_guards.register("sqlite", *guards.SQLITE)
        database_guards.register("postgresql", *guards.POSTGRESQL, FUNCTION)
