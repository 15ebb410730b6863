"""What players read about their money, in one place."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from wallets.models import CashState, Reason

STATE_WORDS: Mapping[CashState, Any] = {
    CashState.STARTED: _("We are waiting for your money to arrive."),
    CashState.CONFIRMED: _("Your money has arrived and is in your wallet."),
    CashState.FAILED: _("This deposit did not work. Nothing was added to your wallet."),
    CashState.REQUESTED: _("We have your request. It cannot be cancelled any more."),
    CashState.HELD: _("We are looking at your request; the money is kept for you."),
    CashState.APPROVED: _("Approved: we are about to send your money."),
    CashState.SENT: _("Your money is on its way."),
    CashState.PAID: _("Paid."),
    CashState.REFUSED: _("The payment was refused, and the money is back in your wallet."),
    CashState.UNKNOWN: _("We do not know yet whether this worked. The money is kept until we do."),
}
OPEN_STATES = (CashState.STARTED, CashState.REQUESTED, CashState.HELD, CashState.APPROVED, CashState.SENT)

REASON_WORDS: Mapping[Reason, Any] = {
    Reason.DEPOSIT: _("Deposit"),
    Reason.WITHDRAWAL: _("Withdrawal"),
    Reason.STAKE: _("Bets"),
    Reason.BET_TAKEN_BACK: _("Bets taken back"),
    Reason.STAKE_RETURNED: _("Stakes returned"),
    Reason.PRIZE: _("Prizes"),
    Reason.HALF_BACK: _("Half back at zero"),
    Reason.VOID_REFUND: _("Stakes of a void play returned"),
    Reason.CORRECTION: _("Correction"),
    Reason.RECEIVABLE: _("Owed to the house"),
    Reason.ADJUSTMENT: _("Adjustment"),
    Reason.CHIPS_OUT: _("Chips bought"),
    Reason.CHIPS_IN: _("Chips changed back"),
    Reason.TIP: _("Tip"),
}
