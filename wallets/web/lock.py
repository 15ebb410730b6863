"""The lock after repeated failures (django-axes): whom a failure counts against, and how many are too many."""

from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.http import HttpRequest

from wallets.personal import email_key

LONGEST_NAME = 255


def name_of_login(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """Return the account that a login is for, as addresses are compared: else each spelling had its own five tries."""
    said = (credentials or {}).get("username") or (request.POST.get("username", "") if request is not None else "")
    return email_key(str(said).replace("\0", ""))[:LONGEST_NAME]


class LoginLock(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts an account's failures from everywhere, and an address's over all accounts against a higher limit."""

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
    ) -> None:
        """Count a failure, and keep nothing of what was typed: among it are passwords that are right elsewhere."""
        with transaction.atomic():
            super().user_login_failed(sender, credentials, request, **kwargs)
            counted = AccessAttempt.objects.filter(username=name_of_login(request, credentials))
            counted.exclude(get_data="", post_data="").update(get_data="", post_data="")

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return how many failures count; AXES_FAILURE_LIMIT of them lock."""
        of_account, of_address = (
            attempts.aggregate(total=Sum("failures_since_start", default=0))["total"]
            for attempts in self.get_user_attempts(request, credentials)
        )
        as_of_account = of_address * settings.AXES_FAILURE_LIMIT // settings.LOGIN_FAILURES_OF_ADDRESS
        return max(int(of_account), int(as_of_account))
