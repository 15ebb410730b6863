"""`manage.py verify`: prove the books from the rows alone."""

from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from roulette_site.common import audit_checks as audit
from roulette_site.common import book_checks as books
from roulette_site.common import rights_checks as rights
from roulette_site.common import verification as house
from roulette_site.common.sql import one_snapshot
from roulette_site.common.verification import Check
from sessions_app.selectors import verification as sessions
from tables.selectors import verification as game
from wallets.selectors import verification as ledger

CHECKS = (*house.CHECKS, *audit.CHECKS, *books.CHECKS, *rights.CHECKS, *ledger.CHECKS, *game.CHECKS, *sessions.CHECKS)


class Command(BaseCommand):
    help = "Prove from the rows alone that balances, prizes, draws and guards are right. Ends with status 1 if not."
    # What verify says is of the books; how the site is set up, `check` says.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the names of checks to run, and how many differences to show of each."""
        parser.add_argument("check", nargs="*", help="run these checks only: " + ", ".join(c.name for c in CHECKS))
        parser.add_argument("--most", type=int, default=20, help="differences to show per check (20)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the checks over one snapshot and print a line for each."""
        unknown = set(options["check"]) - {check.name for check in CHECKS}
        if unknown:
            raise CommandError(f"There is no check {', '.join(sorted(unknown))}.")
        if not connection.introspection.table_names():
            raise CommandError("There are no books in this database yet.")
        failed = 0
        with one_snapshot():
            for check in CHECKS:
                if options["check"] and check.name not in options["check"]:
                    continue
                shown = _differences(check, options["most"])
                failed += bool(shown)
                self.stdout.write(f"{'DIFFERS' if shown else 'ok':8}{check.name:16}{check.promise}")
                for sentence in shown:
                    self.stdout.write(f"        {sentence}")
        if failed:
            raise CommandError(f"Checks that found differences: {failed}.", returncode=1)
        self.stdout.write("The books are right.")


def _differences(check: Check, most: int) -> list[str]:
    """What the check finds, up to `most`. One that meets what it cannot read says so, and the others go on."""
    shown: list[str] = []
    try:
        with house.apart():
            found = check.find()
            shown += islice(found, most)
            if next(found, None) is not None:
                shown.append("... and more")
    except Exception as error:
        shown.append(f"the check broke off: {type(error).__name__}: {error}")
    return shown
