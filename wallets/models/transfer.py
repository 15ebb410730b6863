from django.db import models
from django.db.models import F, Q

from .account import Unit


class Reason(models.TextChoices):
    """Why money moved. Each names one flow between kinds of account (docs/architecture.md, Money)."""

    DEPOSIT = "deposit", "deposit"
    WITHDRAWAL = "withdrawal", "withdrawal"
    STAKE = "stake", "stake"
    BET_TAKEN_BACK = "bet_taken_back", "bet taken back"
    STAKE_RETURNED = "stake_returned", "stake returned"
    PRIZE = "prize", "prize"
    HALF_BACK = "half_back", "half back"
    STAKE_LOST = "stake_lost", "stake lost"
    VOID_REFUND = "void_refund", "refund of a void round"
    CORRECTION = "correction", "correction"
    RECEIVABLE = "receivable", "receivable"
    ADJUSTMENT = "adjustment", "adjustment"
    CHIPS_OUT = "chips_out", "chips out"
    CHIPS_IN = "chips_in", "chips in"
    TIP = "tip", "tip"
    TIP_CHANGE = "tip_change", "tip changed"
    FLOAT_OPEN = "float_open", "float opened"
    FLOAT_ADVANCE = "float_advance", "float advance"
    FLOAT_CLOSE = "float_close", "float closed"


class Transfer(models.Model):
    """One immutable movement from the debit account to the credit account.

    A mistake is undone by another transfer that names it.
    """

    # Found by account in the order of their ids (Meta.indexes).
    debit = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="debits", db_index=False)
    credit = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="credits", db_index=False)
    amount_cents = models.BigIntegerField()
    unit = models.CharField(max_length=4, choices=Unit.choices)
    reason = models.CharField(max_length=16, choices=Reason.choices)
    # Opaque to wallets: the round and the seat that the movement belongs to.
    round_ref = models.BigIntegerField(null=True, blank=True)
    seat_ref = models.BigIntegerField(null=True, blank=True)
    idempotency_key = models.CharField(max_length=120, null=True, blank=True, unique=True)
    # An id such as "player:12", "staff:3" or "system", never a name.
    actor = models.CharField(max_length=60)
    corrects = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="corrections")
    created_at = models.DateTimeField()
    # The day of the player's own calendar that the movement counts in (PlayerDay), for what his limits count.
    player_day = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="transfer_amount_positive"),
            models.CheckConstraint(condition=~Q(debit=F("credit")), name="transfer_two_accounts"),
            models.CheckConstraint(condition=Q(reason__in=Reason.values), name="transfer_reason_known"),
            models.CheckConstraint(
                # A receivable that a correction made necessary names what was corrected, too.
                condition=Q(reason=Reason.CORRECTION, corrects__isnull=False)
                | Q(reason=Reason.RECEIVABLE)
                | (~Q(reason__in=(Reason.CORRECTION, Reason.RECEIVABLE)) & Q(corrects__isnull=True)),
                name="transfer_correction_names_the_first",
            ),
        ]
        indexes = [
            models.Index(fields=["round_ref", "reason"], name="transfer_by_round"),
            models.Index(fields=["debit", "id"], name="transfer_by_debit"),
            models.Index(fields=["credit", "id"], name="transfer_by_credit"),
        ]

    def __str__(self) -> str:
        return f"{self.reason} {self.pk}: {self.amount_cents} {self.unit}"
