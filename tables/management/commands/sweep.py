"""`manage.py sweep`: what beat does every second, by hand."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from roulette_site.common.sql import database_now
from tables import draws
from tables.services import advance


class Command(BaseCommand):
    help = "Move on every round that is overdue. Needs DRAW_KEY_FILE, as workers do."

    def handle(self, *args: Any, **options: Any) -> None:
        """Sweep once."""
        moved = advance.sweep(key=draws.read_key(settings.DRAW_KEY_FILE), now=database_now)
        self.stdout.write(f"{moved} looked after.")
