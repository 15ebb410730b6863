"""`manage.py bots`: players made of code, through the public API, in a process of their own."""

import logging
import random
import time
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions_app.demo.bots import Api, ApiRefused, Bot
from sessions_app.demo.personas import BOTS

from .seed_demo import BOTS_KEY_FILE

logger = logging.getLogger(__name__)
REST_SECONDS = (5, 30)
AT_ONCE = 3


class Command(BaseCommand):
    help = "Play Solo with the demonstration's bots through the public API until stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the site's address and the pace."""
        parser.add_argument("--base-url", default="http://127.0.0.1:8000")
        parser.add_argument("--pause", type=float, default=2.0, help="seconds between acts, about (2)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start a thread for each bot; they end with the process."""
        key_file = Path(settings.VAR_DIR) / BOTS_KEY_FILE
        if not key_file.exists():
            raise CommandError("There is no key for bots: run seed_demo first.")
        api = Api(base_url=options["base_url"].rstrip("/"), secret=key_file.read_text().strip())
        threads = [
            Thread(target=_play_on, args=(Bot(bot.handle, "solo", api), options["pause"]), daemon=True)
            for bot in BOTS[:AT_ONCE]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _play_on(bot: Bot, pause_seconds: float) -> None:
    while True:
        try:
            bot.play_session(pause_seconds)
        # The site starts, stops or is being upgraded: a program that plays at night waits and tries again.
        except OSError as error:
            # Nobody answers, which is what to expect of a site that starts.
            logger.debug("%s waits: %s", bot.handle, error)
        except ApiRefused as error:
            logger.info("%s waits: %s", bot.handle, error)
        time.sleep(random.uniform(*REST_SECONDS))  # noqa: S311
