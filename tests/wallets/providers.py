"""A provider for tests: he answers late, twice, never, with nonsense, or as he is told."""

from dataclasses import dataclass, field

from wallets.providers import Answer, Order, Outcome

CODE = "fickle"


class NoAnswer(Exception):
    """What a line that broke looks like from here."""


@dataclass
class FickleProvider:
    """Answers `next_answer` to everything: an Answer, an exception to raise, or something that is no answer."""

    next_answer: object = field(default_factory=lambda: Answer(Outcome.WAITING))
    asked: list[tuple[str, Order]] = field(default_factory=list)
    code = CODE
    title = "Fickle"
    can_be_asked = True

    def _answer(self, question: str, order: Order) -> Answer:
        self.asked.append((question, order))
        if isinstance(self.next_answer, Exception):
            raise self.next_answer
        return self.next_answer  # type: ignore[return-value]

    def begin_deposit(self, order: Order) -> Answer:
        return self._answer("begin_deposit", order)

    def pay_out(self, order: Order) -> Answer:
        return self._answer("pay_out", order)

    def ask(self, order: Order) -> Answer:
        return self._answer("ask", order)
