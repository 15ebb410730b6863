"""People and money."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from roulette_site.common import guards as database_guards


def check_register(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Report a register of excluded people that is switched off, unknown, or gives no answers (`check`)."""
    from .services.register_asking import current_register, state_of

    try:
        register = current_register()
    except ImproperlyConfigured as error:
        return [checks.Error(str(error), id="wallets.E001")]
    if register is None:
        hint = "Where the law has a register of excluded people, name it as EXCLUSION_REGISTER."
        return [checks.Warning("No register of excluded people is asked.", id="wallets.W001", hint=hint)]
    state = state_of(register)
    if not state.is_ready and settings.DEMO_SITE:
        # The demonstration puts one in place when it is made.
        return []
    if not state.is_ready:
        said = f"The register of excluded people gives no answers: {state.why}."
        return [checks.Warning(said, id="wallets.W002", hint="Until it does nobody is verified and nobody begins.")]
    return [
        checks.Warning(f"The register of excluded people, {fault}.", id="wallets.W003") for fault in state.faults[:5]
    ]


class WalletsConfig(AppConfig):
    name = "wallets"
    verbose_name = "People and money"

    def ready(self) -> None:
        # Which steps there are is the models' to say, and models are there only now.
        from roulette_site.common import book_seals

        from . import guards, sealed
        from .acts import register_acts

        register_acts()
        checks.register(check_register)
        database_guards.register("sqlite", *guards.SQLITE)
        database_guards.register("postgresql", *guards.POSTGRESQL)
        book_seals.register(*sealed.SEALED)
        # Django's signals, not ours: everything that logs somebody in or out passes through them.
        from .web import arrivals

        user_logged_in.connect(arrivals.note_login, dispatch_uid="wallets.note_login")
        user_logged_out.connect(arrivals.note_logout, dispatch_uid="wallets.note_logout")
