"""`manage.py create_api_key`: make a credential for another system."""

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from wallets.models import ApiKey, Scope
from wallets.services.api_keys import make_api_key

MOST_DAYS = 3650


class Command(BaseCommand):
    help = "Make an API key and print it, this once: only a hash of it is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the key's name and what it may do."""
        parser.add_argument("name", help="whose key it is")
        parser.add_argument("--scope", action="append", choices=Scope.values, required=True)
        parser.add_argument("--days", type=int, help="how long it opens anything; without it, until it is revoked")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the key."""
        longest = ApiKey._meta.get_field("name").max_length or 0
        if not 0 < len(options["name"].strip()) <= longest:
            raise CommandError(f"A key's name has 1 to {longest} characters.")
        days = options["days"]
        if days is not None and not 0 < days <= MOST_DAYS:
            raise CommandError(f"A key is good for 1 to {MOST_DAYS} days.")
        now = timezone.now()
        expiry_date = None if days is None else now + dt.timedelta(days=days)
        _, secret = make_api_key(
            name=options["name"], scopes=options["scope"], expiry_date=expiry_date, actor="system", at=now
        )
        self.stdout.write(secret)
