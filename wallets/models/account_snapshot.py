from django.db import models


class AccountSnapshot(models.Model):
    """What an account of the operator came to at the end of a gaming day: all its transfers up to `last_transfer`.

    All snapshots of one day end at the same transfer: the last one before the first that was made after the day's end.
    """

    account = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="snapshots")
    gaming_day = models.DateField()
    balance_cents = models.BigIntegerField()
    last_transfer = models.ForeignKey("wallets.Transfer", on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "gaming_day"], name="snapshot_one_a_day"),
        ]
        indexes = [models.Index(fields=["gaming_day"], name="snapshot_by_day")]

    def __str__(self) -> str:
        return f"account {self.account_id} on {self.gaming_day}: {self.balance_cents}"
