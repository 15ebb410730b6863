"""`manage.py create_api_key`: make a credential for another system."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallets.models import ApiKey, Scope


class Command(BaseCommand):
    help = "Make an API key and print it, this once: only a hash of it is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the key's name and what it may do."""
        parser.add_argument("name", help="whose key it is")
        parser.add_argument("--scope", action="append", choices=Scope.values, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the key."""
        longest = ApiKey._meta.get_field("name").max_length or 0
        if not 0 < len(options["name"].strip()) <= longest:
            raise CommandError(f"A key's name has 1 to {longest} characters.")
        _, secret = ApiKey.objects.create_key(name=options["name"], scopes=sorted(set(options["scope"])))
        self.stdout.write(secret)
