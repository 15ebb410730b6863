"""Bank transfers without a line to the bank: a person looks at the account, or a statement file is read."""

from .interface import Answer, Order, Outcome


class BankTransfer:
    """The player transfers money and names the request; finance transfers what is paid out. Both are told by hand."""

    code = "bank"
    title = "Bank transfer"
    can_be_asked = False

    def begin_deposit(self, order: Order) -> Answer:
        """Wait for the statement."""
        return Answer(Outcome.WAITING)

    def pay_out(self, order: Order) -> Answer:
        """Wait for finance to make the transfer and for the statement to show it."""
        return Answer(Outcome.WAITING)

    def ask(self, order: Order) -> Answer:
        """Nobody can be asked: the outcome is confirmed by a person or read from a statement."""
        return Answer(Outcome.WAITING)
