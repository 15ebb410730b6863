"""The game."""

from django.apps import AppConfig

from roulette_site.common import guards as database_guards

from .placing.postgresql import FUNCTION


class TablesConfig(AppConfig):
    name = "tables"
    verbose_name = "The game"

    def ready(self) -> None:
        # Models are there now, and not before.
        from roulette_site.common import book_seals
        from wallets.selectors.closing import register_hindrance
        from wallets.selectors.discrepancies import register_source

        from . import guards, sealed
        from .selectors.play import has_money_in_play
        from .selectors.reconciliation import find_round_discrepancies

        register_hindrance("in_play", has_money_in_play)
        register_source(find_round_discrepancies)
        database_guards.register("sqlite", *guards.SQLITE)
        database_guards.register("postgresql", *guards.POSTGRESQL, FUNCTION)
        book_seals.register(*sealed.SEALED)
