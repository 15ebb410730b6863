"""`manage.py seed_demo`: the demonstration's people, tables and past."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from roulette_site.common.later import muted
from roulette_site.common.models import Operator
from roulette_site.common.sealer import seal_all
from sessions_app.demo.seed import seed_demo, without_waiting_for_the_disk, write_register
from tables import draws
from wallets.models import Scope
from wallets.services.api_keys import make_api_key

BOTS_KEY_FILE = "bots.key"


class Command(BaseCommand):
    help = "Fill an empty database with the demonstration. DEMO_SITE only."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how many days of past to make."""
        parser.add_argument("--days", type=int, default=14)
        parser.add_argument("--if-empty", action="store_true", help="do nothing where the house is set up already")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the demonstration, once."""
        if not settings.DEMO_SITE:
            raise CommandError("The demonstration is made with DEMO_SITE=1 only.")
        write_register()
        if Operator.objects.exists():
            if options["if_empty"]:
                return
            raise CommandError("The house is set up already; `make demo-reset` starts afresh.")
        key = draws.read_key(settings.DRAW_KEY_FILE or str(settings.VAR_DIR / "draw.key"))
        with muted(), without_waiting_for_the_disk():
            seed_demo(now=timezone.now(), days=options["days"], key=key)
        _, secret = make_api_key(
            name="Bots of the demonstration", scopes=[Scope.PLAY, Scope.READ], actor="system", at=timezone.now()
        )
        # The sealer has not begun yet, and the site's first look at the trail would find it late.
        seal_all(everything=True)
        key_file = Path(settings.VAR_DIR) / BOTS_KEY_FILE
        key_file.touch(mode=0o600)
        key_file.write_text(secret)
        self.stdout.write("The demonstration is ready.")
