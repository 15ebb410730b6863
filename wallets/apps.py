"""People and money."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out

from roulette_site.common import guards as database_guards


class WalletsConfig(AppConfig):
    name = "wallets"
    verbose_name = "People and money"

    def ready(self) -> None:
        # Which steps there are is the models' to say, and models are there only now.
        from . import guards
        from .acts import register_acts

        register_acts()
        database_guards.register("sqlite", *guards.SQLITE)
        database_guards.register("postgresql", *guards.POSTGRESQL)
        # Django's signals, not ours: everything that logs somebody in or out passes through them.
        from .web import arrivals

        user_logged_in.connect(arrivals.note_login, dispatch_uid="wallets.note_login")
        user_logged_out.connect(arrivals.note_logout, dispatch_uid="wallets.note_logout")
