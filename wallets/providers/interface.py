"""What the cash desk asks of a provider of payments, and what he can answer."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class Outcome(Enum):
    """What has become of a payment. Only PAID and REFUSED are definite; whatever else is said, the money is held."""

    WAITING = "waiting"
    PAID = "paid"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Order:
    """A payment as the provider is asked for it. The same reference is the same payment, however often it is asked."""

    reference: str
    amount_cents: int
    unit: str
    # The bank account that is to be paid; no log has it.
    iban: str = field(default="", repr=False)
    # Or the provider's own number of the payment that goes back the way it came.
    refund_of: str = ""


@dataclass(frozen=True)
class Answer:
    """What a provider says of an order; `reference` is his own number of the payment, the same however often he tells.

    A definite outcome names what was really paid, which the cash desk holds against what was ordered.
    """

    outcome: Outcome
    reference: str = ""
    amount_cents: int = 0
    unit: str = ""
    reason: str = ""


class Provider(Protocol):
    """A way for money to come and go. No method is called inside a database transaction, and each may raise.

    What raises, or answers with something else than an Answer, leaves the outcome unknown.
    """

    @property
    def code(self) -> str:
        """Its name in our rows, for ever."""

    @property
    def title(self) -> str:
        """Its name on pages."""

    @property
    def can_be_asked(self) -> bool:
        """Whether he knows of himself what has become of an order."""

    def begin_deposit(self, order: Order) -> Answer:
        """Make ready to take the player's money."""

    def pay_out(self, order: Order) -> Answer:
        """Send the player his money: once for each reference, however often it is asked."""

    def ask(self, order: Order) -> Answer:
        """Say what has become of an order."""
