"""Mail of the demonstration: written to a folder and shown on a page, never sent."""

import email
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email import policy
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage

# What nobody will look at any more is taken away.
MOST_KEPT = 200


@dataclass(frozen=True)
class ShownMail:
    """A mail as the page shows it."""

    to: str
    subject: str
    text: str


class ShownBackend(BaseEmailBackend):
    """Puts each message into a file of its own under DEMO_MAIL_DIR; refuses wherever there is no demonstration."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.DEMO_SITE or not settings.LOCAL:
            raise ImproperlyConfigured("Mail is shown instead of sent in the demonstration alone.")

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the messages; each appears under its name at once and whole."""
        folder = Path(settings.DEMO_MAIL_DIR)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{time.time_ns():020d}-{os.getpid()}"
            half = folder / f".{name}"
            half.write_bytes(message.message().as_bytes())
            half.rename(folder / f"{name}.eml")
        for old in sorted(folder.glob("*.eml"))[:-MOST_KEPT]:
            old.unlink(missing_ok=True)
        return len(email_messages)


def shown_mails() -> Sequence[ShownMail]:
    """The mails of the demonstration, the latest first."""
    shown = []
    for file in sorted(Path(settings.DEMO_MAIL_DIR).glob("*.eml"), reverse=True):
        message = email.message_from_bytes(file.read_bytes(), policy=policy.default)
        body = message.get_body(("plain",))
        shown.append(ShownMail(str(message["to"]), str(message["subject"]), body.get_content() if body else ""))
    return shown
