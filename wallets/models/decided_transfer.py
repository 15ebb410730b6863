from enum import StrEnum

from django.db import models


class DecidedAct(StrEnum):
    """The acts of two people that move money; the name of each in the requests for it."""

    ADJUST = "adjust_balance"
    CORRECT = "correct_transfer"
    RELEASE = "release_suspense"


class DecidedTransfer(models.Model):
    """That two people decided a transfer, and by which request: it stands beside each that staff have money moved by.

    The transfer's own key is made of the request, so that a request moves money once.
    """

    transfer = models.OneToOneField(
        "wallets.Transfer", on_delete=models.PROTECT, primary_key=True, related_name="decided"
    )
    request = models.ForeignKey("common.FourEyesRequest", on_delete=models.PROTECT, related_name="+")
    # Of money that leaves suspense: the transfer by which it came there, which leaves once.
    releases = models.OneToOneField(
        "wallets.Transfer", on_delete=models.PROTECT, null=True, blank=True, related_name="released"
    )
    # Of an adjustment; one of wallets/services/adjustments.py.
    cause = models.CharField(max_length=20, blank=True)

    def __str__(self) -> str:
        return f"transfer {self.transfer_id} by request {self.request_id}"
