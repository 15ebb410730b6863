from django.db import models
from django.db.models import Q


class InboxKind(models.TextChoices):
    """What a player is told of."""

    IDENTITY = "identity", "who you are held to be"
    ACCOUNT = "account", "your account"
    ADJUSTMENT = "adjustment", "your balance was adjusted"
    CORRECTION = "correction", "a transfer of yours was corrected"
    DEPOSIT = "deposit", "money that came for you"
    WITHDRAWAL = "withdrawal", "a withdrawal of yours"
    LIMIT = "limit", "a limit of the house"
    LOOSENING = "loosening", "a limit to confirm"
    EXCLUSION = "exclusion", "your exclusion"
    RULES = "rules", "new rules of a table"
    ANSWER = "answer", "an answer to your complaint"
    RECEIVABLE = "receivable", "what you owe"
    PAYOUT_ADDRESS = "payout_address", "where you are paid out to"


class InboxMessage(models.Model):
    """Something that a player is told. It holds ids and plain values, from which the page makes the sentence."""

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="inbox")
    kind = models.CharField(max_length=16, choices=InboxKind.choices)
    data = models.JSONField(default=dict)
    told_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(kind__in=InboxKind.values), name="inbox_kind_known")]
        indexes = [models.Index(fields=["player", "-id"], name="inbox_by_player")]

    def __str__(self) -> str:
        return f"message {self.pk}"


class InboxReading(models.Model):
    """That a player has seen a message, and when first."""

    message = models.OneToOneField(InboxMessage, on_delete=models.PROTECT, primary_key=True, related_name="reading")
    read_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"reading of message {self.message_id}"
