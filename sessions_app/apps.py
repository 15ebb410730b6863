from django.apps import AppConfig


class SessionsAppConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Game sessions"

    def ready(self) -> None:
        from wallets.selectors.export import register_section

        from .selectors.export import game_sessions_of

        register_section("game_sessions", game_sessions_of)
