"""The one base of every refusal that our own rules give."""

from typing import Any


class RuleBroken(Exception):
    """A request broke a rule; nothing was changed.

    `code` is stable and for machines, the message is a sentence for people, `details` names limits and fields.
    Subclasses live where they are raised.
    """

    code = "rule_broken"
    # What the API answers with: a conflict with how things stand, unless a subclass says otherwise.
    http_status = 409

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
