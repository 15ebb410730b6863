"""`manage.py read_statement`: apply a provider's statement file to the cash requests."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from wallets.providers import all_providers
from wallets.services.statements import apply_statement
from wallets.statement_files import InvalidStatement, StatementLine, read_statement


class Command(BaseCommand):
    help = "Apply a provider's statement file (CSV) to the cash requests; lines that were applied before are not again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the provider and the file."""
        parser.add_argument("provider", choices=[provider.code for provider in all_providers()])
        parser.add_argument("file", help="the statement; - is standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply every line and say what became of them."""
        lines = lines_of(options["file"])
        try:
            counted = apply_statement(
                provider=options["provider"], lines=lines, actor="command:read_statement", at=database_now()
            )
        except RuleBroken as error:
            raise CommandError(error.message) from error
        for verdict, count in sorted(counted.items()):
            self.stdout.write(f"{count:8} {verdict}")
        self.stdout.write(f"Lines: {len(lines)}.")


def lines_of(name: str) -> list[StatementLine]:
    """Read a statement file; raises CommandError with every fault."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return list(read_statement(data))
    except OSError as error:
        raise CommandError(f"The statement cannot be read: {error.strerror}.") from error
    except InvalidStatement as error:
        raise CommandError("The statement is refused as a whole:\n" + "\n".join(error.faults)) from error
