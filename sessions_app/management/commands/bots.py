"""`manage.py bots`: players made of code, through the public API, in a process of their own."""

import logging
import queue
import random
import time
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions_app.demo.bots import AT_ONCE, Api, ApiRefused, Bot, resting_bots
from sessions_app.demo.personas import BotPerson

from .seed_demo import BOTS_KEY_FILE

logger = logging.getLogger(__name__)
REST_SECONDS = (5, 30)


class Command(BaseCommand):
    help = "Play Solo with the demonstration's bots through the public API until stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the site's address and the pace."""
        parser.add_argument("--base-url", default="http://127.0.0.1:8000")
        parser.add_argument("--pause", type=float, default=2.0, help="seconds between acts, about (2)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start a thread for each bot that may play at the same moment; they end with the process."""
        key_file = Path(settings.VAR_DIR) / BOTS_KEY_FILE
        if not key_file.exists():
            raise CommandError("There is no key for bots: run seed_demo first.")
        api = Api(base_url=options["base_url"].rstrip("/"), secret=key_file.read_text().strip())
        resting = resting_bots()
        threads = [Thread(target=_play_on, args=(resting, api, options["pause"]), daemon=True) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _play_on(resting: "queue.Queue[BotPerson]", api: Api, pause_seconds: float) -> None:
    while True:
        bot = Bot(resting.get(), "solo", api)
        try:
            bot.play_session(pause_seconds)
        # The site starts, stops or is being upgraded: a program that plays at night waits and tries again.
        except OSError as error:
            # Nobody answers, which is what to expect of a site that starts.
            logger.debug("%s waits: %s", bot.person.handle, error)
        except ApiRefused as error:
            logger.info("%s waits: %s", bot.person.handle, error)
        if bot.refusals:
            reasons = ", ".join(f"{reason} ({times})" for reason, times in sorted(bot.refusals.items()))
            logger.info("%s leaves; slips were refused: %s", bot.person.handle, reasons)
        resting.put(bot.person)
        time.sleep(random.uniform(*REST_SECONDS))  # noqa: S311
