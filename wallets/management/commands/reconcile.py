"""`manage.py reconcile`: write down as findings what does not agree."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from roulette_site.common.sql import database_now
from wallets.models import Finding
from wallets.providers import find_provider
from wallets.services.reconciliation import reconcile, reconcile_statement

from .read_statement import lines_of

ACTOR = "command:reconcile"


class Command(BaseCommand):
    help = "Hold balances, cash requests and rounds against transfers; with --statement a provider's file, too."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take a statement to compare with."""
        parser.add_argument("--statement", nargs=2, metavar=("PROVIDER", "FILE"), help="compare with this file, too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and name each new finding."""
        found: list[Finding] = []
        if options["statement"]:
            provider, name = options["statement"]
            if find_provider(provider) is None:
                raise CommandError(f"There is no provider {provider}.")
            found += reconcile_statement(provider=provider, lines=lines_of(name), actor=ACTOR, at=database_now())
        found += reconcile(actor=ACTOR, at=database_now())
        for finding in found:
            self.stdout.write(f"{finding.pk:8} {finding.kind}: {finding.detail}")
        self.stdout.write(f"New findings: {len(found)}.")
