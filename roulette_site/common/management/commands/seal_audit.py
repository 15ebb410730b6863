"""`manage.py seal_audit`: seal audit trail and books by hand, and say where their chains end."""

from typing import Any

from django.core.management.base import BaseCommand

from roulette_site.common.models import AuditSeal, BookSeal
from roulette_site.common.sealer import seal_all


class Command(BaseCommand):
    help = "Seal what is not sealed of audit trail and books, and print their chains' ends, to be kept elsewhere."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seal everything."""
        sealed = seal_all(everything=True)
        entries = AuditSeal.objects.order_by("-sequence").first()
        books = BookSeal.objects.order_by("-sequence").first()
        end = f"The chain ends with {entries.sequence} {entries.hash}." if entries else "The trail is empty."
        end += f" The books end with {books.sequence} {books.hash}." if books else " No books are sealed."
        self.stdout.write(f"Sealed: {sealed}. {end}")
