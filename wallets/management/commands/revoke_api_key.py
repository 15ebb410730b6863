"""`manage.py revoke_api_key`: end the credential of another system, at once and for good."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from wallets.models import ApiKey
from wallets.services.api_keys import revoke_api_key


class Command(BaseCommand):
    help = "Revoke the API key with this prefix (what stands before the point in the key): it opens nothing any more."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the key's prefix."""
        parser.add_argument("prefix", help="the first eight characters of the key")

    def handle(self, *args: Any, **options: Any) -> None:
        """Revoke the key; a key that is revoked already stays so."""
        key = ApiKey.objects.filter(prefix=options["prefix"]).first()
        if key is None:
            raise CommandError(f"There is no key {options['prefix']!r}.")
        revoke_api_key(key=key, actor="system", at=timezone.now())
        self.stdout.write(f"{key.name} ({key.prefix}) is revoked.")
