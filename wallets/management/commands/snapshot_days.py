"""`manage.py snapshot_days`: the operator's accounts at the end of each gaming day."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import Operator
from roulette_site.common.sql import database_now
from wallets.services.snapshots import snapshot_missing_days


class Command(BaseCommand):
    help = "Make the snapshots of every gaming day that is over and has none. Beat does the same every five minutes."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make them, and name the days."""
        operator = Operator.objects.first()
        if operator is None:
            raise CommandError("The house is not set up: without it nobody knows when a gaming day ends.")
        try:
            days = snapshot_missing_days(rule=operator.gaming_day_rule, at=database_now())
        except RuleBroken as error:
            raise CommandError(error.message) from error
        for day in days:
            self.stdout.write(str(day))
        self.stdout.write(f"Days that have snapshots now: {len(days)} more.")
