"""`manage.py create_test_account`: an account of the house's own, for trying things out."""

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import Operator
from wallets.management.actors import actor_named
from wallets.models import KycState
from wallets.services.test_accounts import add_test_account


class Command(BaseCommand):
    help = "Make a player's account that is marked as a test, holds little and is in no figure of the business."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take who of the house holds it, who makes it, and why."""
        parser.add_argument("email", help="where its holder has his password sent")
        parser.add_argument("full_name")
        parser.add_argument("birth_date", help="such as 1990-12-31")
        parser.add_argument("--country", default="PT", help="two letters (default: PT)")
        parser.add_argument("--language", default="en")
        parser.add_argument("--time-zone", default="", help="default: the operator's")
        parser.add_argument("--actor", required=True, help="staff:<id>, or system")
        parser.add_argument("--reason", required=True, help="names nobody: it stays")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it, or say why not."""
        try:
            birth_date = dt.date.fromisoformat(options["birth_date"])
        except ValueError:
            raise CommandError("A birth date is written like 1990-12-31.") from None
        operator = Operator.objects.first()
        time_zone = options["time_zone"] or (operator.time_zone if operator is not None else "UTC")
        try:
            player = add_test_account(
                email=options["email"],
                full_name=options["full_name"],
                birth_date=birth_date,
                country=options["country"],
                language=options["language"],
                time_zone=time_zone,
                reason=options["reason"],
                actor=actor_named(options["actor"]),
                at=timezone.now(),
            )
        except RuleBroken as refused:
            raise CommandError(f"{refused.code}: {refused.message}") from None
        self.stdout.write(f"Test account {player.handle} of user {player.user_id}; he asks for a password by mail.")
        if player.kyc_state != KycState.VERIFIED:
            self.stdout.write("It is not verified: the register of excluded people gave no answer.")
