"""People and money."""

from django.apps import AppConfig

from roulette_site.common import guards as database_guards

from . import guards


class WalletsConfig(AppConfig):
    name = "wallets"
    verbose_name = "People and money"

    def ready(self) -> None:
        database_guards.register("sqlite", *guards.SQLITE)
        database_guards.register("postgresql", *guards.POSTGRESQL)
