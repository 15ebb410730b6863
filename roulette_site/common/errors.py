"""The one base of every refusal that our own rules give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .cents import format_cents

_CENTS = "_cents"


@dataclass(frozen=True)
class Sentence:
    """A sentence for people. Its amounts are cents until somebody who knows the reader writes them.

    >>> Sentence("The limit leaves {left} for today.", {"left": 3000}).written()
    'The limit leaves 30.00 for today.'
    """

    text: str
    amounts: Mapping[str, int] = field(default_factory=dict)

    def written(self, write: Callable[[int], str] = format_cents) -> str:
        """The sentence, each amount as `write` has it; by default as programs do."""
        # Where there are no amounts a brace is a brace: such texts quote what somebody sent.
        if not self.amounts:
            return self.text
        return self.text.format(**{name: write(cents) for name, cents in self.amounts.items()})


class RuleBroken(Exception):
    """A request broke a rule; nothing was changed.

    `code` is stable and for machines, the message is a sentence for people, `details` names limits and fields. Details
    that end in `_cents` are amounts: the message may name them as {left}, and each door writes them for its reader.
    Subclasses live where they are raised.
    """

    code = "rule_broken"
    # What the API answers with: a conflict with how things stand, unless a subclass says otherwise.
    http_status = 409

    def __init__(self, message: str, **details: Any) -> None:
        amounts = {name.removesuffix(_CENTS): value for name, value in details.items() if _is_amount(name, value)}
        self.sentence = Sentence(message, amounts)
        self.message = self.sentence.written()
        super().__init__(self.message)
        self.details = details

    @property
    def written_details(self) -> dict[str, Any]:
        """The details as programs are told them: amounts are text, under their names without `_cents`."""
        return {
            name.removesuffix(_CENTS): format_cents(value) if _is_amount(name, value) else value
            for name, value in self.details.items()
        }


def _is_amount(name: str, value: Any) -> bool:
    """Whether a detail is an amount that there is; of a limit that is not set the value is None."""
    return name.endswith(_CENTS) and value is not None
