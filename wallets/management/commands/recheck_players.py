"""`manage.py recheck_players`: ask the register of excluded people about players, and say how it stands."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from roulette_site.common.sql import database_now
from wallets.services.register_asking import current_register, state_of
from wallets.services.register_checks import recheck_players


class Command(BaseCommand):
    help = "Ask the register of excluded people about the players whose last answer is old, or about all of them."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whom to ask about."""
        parser.add_argument("--all", action="store_true", help="ask about every player, however lately it was done")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, name what of the register cannot be read, and count the answers."""
        register = current_register()
        if register is None:
            self.stdout.write("No register is asked: EXCLUSION_REGISTER is none.")
        else:
            state = state_of(register)
            if not state.is_ready:
                raise CommandError(f"The register {register.code} gives no answers: {state.why}.")
            entries = "" if state.entries is None else f", entries: {state.entries}"
            self.stdout.write(f"Register: {register.code}{entries}.")
            for fault in state.faults:
                self.stdout.write(f"  {fault}")
        counts = recheck_players(now=database_now, everybody=options["all"])
        given_up = counts.pop("given_up", 0)
        for answer, count in sorted(counts.items()):
            self.stdout.write(f"{answer}: {count}")
        if given_up:
            raise CommandError("The register stopped answering; the others are asked about next time.")
