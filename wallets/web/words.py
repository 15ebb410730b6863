"""What players read about their money, in one place."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from wallets.models import CashState, Reason
from wallets.selectors.suspense import Kept

STATE_WORDS: Mapping[CashState, Any] = {
    CashState.STARTED: _("We are waiting for your money to arrive."),
    CashState.CONFIRMED: _("Your money has arrived and is in your wallet."),
    CashState.FAILED: _("This deposit did not work. Nothing was added to your wallet."),
    CashState.EXPIRED: _("No money has come so far. If it still comes it is yours; you need do nothing."),
    CashState.REQUESTED: _("We have your request. It cannot be cancelled any more."),
    CashState.HELD: _("We are looking at your request; the money is kept for you."),
    CashState.APPROVED: _("Approved: we are about to send your money."),
    CashState.SENT: _("Your money is on its way."),
    CashState.PAID: _("Paid."),
    CashState.REFUSED: _("The payment was refused, and the money is back in your wallet."),
    CashState.UNKNOWN: _("We do not know yet whether this worked. The money is kept until we do."),
}
# What has become of money that came for a deposit and could not be added to the wallet: in an inbox, and in a list.
KEPT_WORDS: Mapping[Kept, Any] = {
    Kept.KEPT: _(
        "%(amount)s came for your deposit %(request)s and could not be added to your wallet. The house keeps the money"
        " apart and looks at it: it becomes yours here, or goes back to where it came from."
    ),
    Kept.CREDITED: _("%(amount)s that the house had kept, of your deposit %(request)s, are in your wallet now."),
    Kept.SENT_BACK: _("%(amount)s that came for your deposit %(request)s were sent back to where they came from."),
    Kept.ANOTHERS: _("%(amount)s that came for your deposit %(request)s were found to be another's."),
}
ARRIVED_WORDS: Mapping[Kept, Any] = {
    Kept.KEPT: _(
        "Your money has come and could not be added to your wallet. The house keeps it apart and looks at it."
    ),
    Kept.CREDITED: _("Your money was kept apart at first, and is in your wallet now."),
    Kept.SENT_BACK: _("Your money came, could not be added to your wallet, and was sent back."),
    Kept.ANOTHERS: _("The money that came was found to be another's."),
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
