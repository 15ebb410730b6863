"""The game."""

from django.apps import AppConfig

from roulette_site.common import guards

from .placing.postgresql import FUNCTION


class TablesConfig(AppConfig):
    name = "tables"
    verbose_name = "The game"

    def ready(self) -> None:
        guards.register("postgresql", FUNCTION)
