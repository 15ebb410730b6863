"""Who acts through a command: named by whoever calls it, and held to be somebody."""

import re

from django.core.management.base import CommandError

from wallets.models import User


def actor_named(text: str) -> str:
    """Return `staff:<id>` of a member of the staff, or `system`, as it was given; raises CommandError on all else."""
    if text == "system":
        return text
    named = re.fullmatch(r"staff:([1-9][0-9]{0,17})", text, re.ASCII)
    if named is None or not User.objects.filter(pk=int(named[1]), is_staff=True, is_active=True).exists():
        raise CommandError("--actor is staff:<id> of a member of the staff, or system.")
    return text
