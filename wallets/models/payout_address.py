from django.db import models
from django.db.models import Q


class PayoutAddress(models.Model):
    """The bank account that a player has named to be paid out to. The latest one holds; none is changed.

    Like Person, it is personal data: the number is encrypted and found by its keyed hash, and both can be erased.
    Whatever lasts keeps the masked form alone.
    """

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="payout_addresses")
    iban_sealed = models.TextField(blank=True)
    iban_hash = models.CharField(max_length=64, blank=True, db_index=True)
    masked = models.CharField(max_length=20, blank=True)
    set_at = models.DateTimeField()
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "payout addresses"
        constraints = [
            models.CheckConstraint(
                condition=Q(erased_at__isnull=False, iban_sealed="", iban_hash="", masked="")
                | (Q(erased_at__isnull=True) & ~Q(iban_sealed="") & ~Q(iban_hash="") & ~Q(masked="")),
                name="payout_address_whole_or_erased",
            ),
        ]
        indexes = [models.Index(fields=["player", "-id"], name="payout_address_by_player")]

    def __str__(self) -> str:
        return f"payout address {self.pk}"
