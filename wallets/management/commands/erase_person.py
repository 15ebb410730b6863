"""`manage.py erase_person`: erase who somebody was, once the time of retention is over."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from roulette_site.common.errors import RuleBroken
from wallets.management.actors import actor_named
from wallets.models import User
from wallets.services.erasure import erase_person


class Command(BaseCommand):
    help = "Erase the personal data of a closed account after the time of retention. The books keep its number."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the user's id, who erases and why."""
        parser.add_argument("user_id", type=int)
        parser.add_argument("--actor", required=True, help="staff:<id>, or system")
        parser.add_argument("--reason", required=True, help="names nobody: it stays")

    def handle(self, *args: Any, **options: Any) -> None:
        """Erase, or say why not."""
        user = User.objects.filter(pk=options["user_id"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user_id']}.")
        try:
            erase_person(user=user, reason=options["reason"], actor=actor_named(options["actor"]), at=timezone.now())
        except RuleBroken as refused:
            raise CommandError(f"{refused.code}: {refused.message}") from None
        self.stdout.write(f"The personal data of user {user.pk} are erased.")
