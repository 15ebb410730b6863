"""`manage.py export_person`: everything that is held about a person, as JSON."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from wallets.models import PersonAct, PersonActKind, User
from wallets.selectors.export import export_person


class Command(BaseCommand):
    help = "Print everything that is held about a user, as JSON, and put on record that it was asked for."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the user's id, who asks and why."""
        parser.add_argument("user_id", type=int)
        parser.add_argument("--actor", required=True, help="staff:<id>")
        parser.add_argument("--reason", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the export."""
        user = User.objects.filter(pk=options["user_id"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user_id']}.")
        at = timezone.now()
        PersonAct.objects.create(
            user=user, kind=PersonActKind.EXPORTED, actor=options["actor"], reason=options["reason"], at=at
        )
        self.stdout.write(json.dumps(export_person(user, at=at), ensure_ascii=False, indent=2))
