"""What the house asks of a register of excluded people, and what it can answer."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class Answer(Enum):
    """Whether the register names a person. UNKNOWN is no answer: nothing begins on it, and nothing ends by it."""

    LISTED = "listed"
    NOT_LISTED = "not_listed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Subject:
    """A person as a register is asked about him, in the forms in which names and numbers are compared.

    It is made for the question and kept nowhere; its representation, which a log may show, tells nothing of him.
    """

    document_key: str = field(default="", repr=False)
    name_key: str = field(default="", repr=False)
    birth_date: dt.date | None = field(default=None, repr=False)

    @property
    def particulars(self) -> frozenset[str]:
        """By what he can be found: the document's number, or name and birth date together."""
        found = {"document"} if self.document_key else set()
        return frozenset(found | ({"name"} if self.name_key and self.birth_date else set()))


@dataclass(frozen=True)
class Reply:
    """What a register says of a person.

    `edition` names the state of the register that answered, such as the digest of a file. `is_whole` is False where a
    part of it could not be read: it may then name somebody, but that it does not name him frees nobody. `why` tells
    staff what stood in the way of an answer, and nothing of the person.
    """

    answer: Answer
    edition: str = ""
    is_whole: bool = True
    why: str = ""


@dataclass(frozen=True)
class RegisterState:
    """How the register stands, for staff: whether it answers, in which edition, and what of it cannot be read."""

    is_ready: bool
    edition: str = ""
    entries: int | None = None
    faults: Sequence[str] = ()
    why: str = ""


class Register(Protocol):
    """A list of people whom the house lets neither bet nor pay in. No method is called inside our transactions.

    `ask` may raise, and take its time: what raises, comes too late or is no Reply is UNKNOWN to the house.
    """

    @property
    def code(self) -> str:
        """Its name in our rows, for ever."""

    @property
    def title(self) -> str:
        """Its name on pages."""

    def ask(self, subject: Subject) -> Reply:
        """Say whether the register names the person."""

    def state(self) -> RegisterState:
        """Say how the register stands; `edition` is that of the replies to come, and empty where it has none."""
