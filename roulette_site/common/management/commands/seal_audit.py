"""`manage.py seal_audit`: seal the audit trail by hand, and say where the chain ends."""

from typing import Any

from django.core.management.base import BaseCommand

from roulette_site.common.audit_chain import seal_entries
from roulette_site.common.models import AuditSeal


class Command(BaseCommand):
    help = "Seal what is not sealed of the audit trail, and print the chain's end, which may be kept elsewhere."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seal everything."""
        sealed = seal_entries(everything=True)
        last = AuditSeal.objects.order_by("-sequence").first()
        end = f"The chain ends with {last.sequence} {last.hash}." if last else "The trail is empty."
        self.stdout.write(f"Sealed: {sealed}. {end}")
