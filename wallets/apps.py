"""People and money."""

from django.apps import AppConfig

from roulette_site.common import guards as database_guards


class WalletsConfig(AppConfig):
    name = "wallets"
    verbose_name = "People and money"

    def ready(self) -> None:
        # Which steps there are is the models' to say, and models are there only now.
        from . import guards

        database_guards.register("sqlite", *guards.SQLITE)
        database_guards.register("postgresql", *guards.POSTGRESQL)
