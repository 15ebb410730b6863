"""`manage.py export_person`: everything that is held about a person, as JSON."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from roulette_site.common.errors import RuleBroken
from wallets.management.actors import actor_named
from wallets.models import User
from wallets.selectors.export import export_person
from wallets.services.exports import note_export


class Command(BaseCommand):
    help = "Print everything that is held about a user, as JSON, and put on record that it was asked for."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the user's id, who asks and why."""
        parser.add_argument("user_id", type=int)
        parser.add_argument("--actor", required=True, help="staff:<id>, or system")
        parser.add_argument("--reason", required=True, help="names nobody: it stays")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the export."""
        user = User.objects.filter(pk=options["user_id"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user_id']}.")
        at = timezone.now()
        try:
            note_export(user=user, actor=actor_named(options["actor"]), reason=options["reason"], at=at)
        except RuleBroken as refused:
            raise CommandError(f"{refused.code}: {refused.message}") from None
        self.stdout.write(json.dumps(export_person(user, at=at), ensure_ascii=False, indent=2))
