from django.apps import AppConfig


class SessionsAppConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Game sessions"

    def ready(self) -> None:
        from roulette_site.common import book_seals
        from wallets.selectors.closing import register_hindrance
        from wallets.selectors.export import register_section
        from wallets.services.limits import register_follower

        from . import sealed
        from .selectors.account import has_open_session_of_money
        from .selectors.export import game_sessions_of, reality_checks_of
        from .services.protection import steer_all

        register_section("game_sessions", game_sessions_of)
        register_section("reality_checks", reality_checks_of)
        register_follower(steer_all)
        register_hindrance("session", has_open_session_of_money)
        book_seals.register(*sealed.SEALED)
