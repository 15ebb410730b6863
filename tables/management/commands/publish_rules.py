"""`manage.py publish_rules`: render every approved version that has no page yet."""

from typing import Any

from django.core.management.base import BaseCommand

from roulette_site.common.sql import database_now
from tables.models import RulesStatus, SpecificRules
from tables.services.publishing import publish_rules


class Command(BaseCommand):
    help = "Publish every approved version of the specific rules that has no page yet."

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish them one by one."""
        waiting = SpecificRules.objects.filter(status=RulesStatus.APPROVED, publication__isnull=True).order_by("id")
        for rules in waiting:
            page = publish_rules(rules_id=rules.pk, at=database_now())
            self.stdout.write(f"{rules}: {page.sha256}")
