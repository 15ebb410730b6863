"""A register for tests: it answers what it is told to, late, with an error, or never."""

import datetime as dt
from collections.abc import Callable

from wallets import registers
from wallets.models import Player
from wallets.registers import Answer, RegisterState, Reply, Subject
from wallets.services.people import record_person

BORN = dt.date(1990, 2, 3)


class ToldRegister:
    """Lists whose name is in `listed`; `instead` is called in place of the answer where it is set."""

    code = "told"
    title = "Register of a test"

    def __init__(self) -> None:
        self.listed: set[str] = set()
        self.edition = "1"
        self.is_whole = True
        self.asked: list[Subject] = []
        self.instead: Callable[[], object] | None = None

    def ask(self, subject: Subject) -> Reply:
        self.asked.append(subject)
        if self.instead is not None:
            return self.instead()  # type: ignore[return-value]
        is_listed = subject.name_key in self.listed
        return Reply(Answer.LISTED if is_listed else Answer.NOT_LISTED, self.edition, is_whole=self.is_whole)

    def state(self) -> RegisterState:
        if self.instead is not None:
            return RegisterState(is_ready=False, why="told so")
        return RegisterState(is_ready=True, edition=self.edition)

    def falls_silent(self) -> None:
        def silent() -> Reply:
            return Reply(Answer.UNKNOWN, why="told so")

        self.instead = silent


def put_in_place(settings: object) -> ToldRegister:
    """Let the house ask a register of this test's own."""
    register = ToldRegister()
    registers.register(register)
    settings.EXCLUSION_REGISTER = register.code  # type: ignore[attr-defined]
    return register


def with_particulars(player: Player, at: dt.datetime) -> Player:
    """Let the player be known by name and birth date; his name's compared form is that of the handle's letters."""
    record_person(user=player.user, birth_date=BORN, at=at)
    return player
