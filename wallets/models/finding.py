from django.db import models
from django.db.models import Q


class FindingKind(models.TextChoices):
    """What does not agree with what."""

    NOTICE = "notice", "a notice that could not be applied"
    BALANCE = "balance", "a balance and its transfers"
    REQUEST = "request", "a cash request and its transfers"
    ROUND_STAKES = "round_stakes", "the stakes of a round and its bets"
    ROUND_RETURNS = "round_returns", "what a round paid and its results"
    SUSPENSE = "suspense", "money in suspense that nobody works on"
    OVERDUE = "overdue", "a cash request without an outcome for too long"
    CLOSING = "closing", "money of an account that is being closed"
    STATEMENT_UNKNOWN = "statement_unknown", "a line of the statement that is no request of ours"
    STATEMENT_AMOUNT = "statement_amount", "the amount of the statement and ours"
    STATEMENT_OUTCOME = "statement_outcome", "the outcome of the statement and ours"
    STATEMENT_MISSING = "statement_missing", "a request of ours that is not in the statement"


class Finding(models.Model):
    """A difference that somebody has to explain. Who owns it and how it was resolved are rows of their own."""

    kind = models.CharField(max_length=20, choices=FindingKind.choices)
    # What it is about, word for word: the same difference, still open, is not found a second time.
    fingerprint = models.CharField(max_length=160, unique=True)
    amount_cents = models.BigIntegerField(null=True, blank=True)
    unit = models.CharField(max_length=4, blank=True)
    account = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    request = models.ForeignKey(
        "wallets.CashRequest", on_delete=models.PROTECT, null=True, blank=True, related_name="findings"
    )
    notice = models.ForeignKey(
        "wallets.ProviderNotice", on_delete=models.PROTECT, null=True, blank=True, related_name="findings"
    )
    detail = models.CharField(max_length=300)
    actor = models.CharField(max_length=60)
    found_at = models.DateTimeField()

    class Meta:
        permissions = [("work_finding", "Can take and resolve findings")]

    def __str__(self) -> str:
        return f"{self.pk}: {self.detail}"


class FindingStepKind(models.TextChoices):
    """What somebody did with a finding."""

    TAKEN = "taken", "taken"
    RESOLVED = "resolved", "resolved"


class FindingStep(models.Model):
    """Somebody made a finding his own, or said how it was resolved."""

    finding = models.ForeignKey(Finding, on_delete=models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=8, choices=FindingStepKind.choices)
    # An id such as "staff:3", never a name.
    actor = models.CharField(max_length=60)
    text = models.CharField(max_length=1000, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=FindingStepKind.values), name="finding_step_kind_known"),
            models.CheckConstraint(
                condition=Q(kind=FindingStepKind.TAKEN) | ~Q(text=""), name="finding_step_resolution_says_how"
            ),
            models.UniqueConstraint(
                fields=["finding"], condition=Q(kind=FindingStepKind.RESOLVED), name="finding_resolved_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.finding_id}: {self.kind} by {self.actor}"
