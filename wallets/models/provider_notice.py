from django.db import models
from django.db.models import Q

from .cash_request import CashKind


class NoticeOutcome(models.TextChoices):
    """What a provider says has become of a payment."""

    PAID = "paid", "paid"
    REFUSED = "refused", "refused"


class Verdict(models.TextChoices):
    """What the cash desk made of a notice. All but the first two are findings that somebody looks at."""

    APPLIED = "applied", "applied"
    KNOWN = "known", "said nothing new"
    LATE = "late", "came after the deposit had failed"
    PAID_TWICE = "paid_twice", "paid a second time"
    WRONG_AMOUNT = "wrong_amount", "of another amount"
    WRONG_UNIT = "wrong_unit", "of another unit"
    NOT_PERMITTED = "not_permitted", "the player may not be credited"
    UNKNOWN_REQUEST = "unknown_request", "belongs to no request"
    NOT_SENT = "not_sent", "about a withdrawal that was not sent"
    CONTRADICTS = "contradicts", "contradicts what was said before"


QUIET_VERDICTS = (Verdict.APPLIED, Verdict.KNOWN)


class ProviderNotice(models.Model):
    """What a provider said of one payment, as he said it, and what was made of it. The same again is no new row.

    `reference` is the provider's own number of the payment, the same however often he tells of it.
    """

    provider = models.SlugField(max_length=20, db_index=False)
    reference = models.CharField(max_length=80)
    outcome = models.CharField(max_length=8, choices=NoticeOutcome.choices)
    kind = models.CharField(max_length=10, choices=CashKind.choices)
    # What the provider named as ours, and the request that this is.
    our_reference = models.CharField(max_length=40, blank=True)
    request = models.ForeignKey(
        "wallets.CashRequest", on_delete=models.PROTECT, null=True, blank=True, related_name="notices"
    )
    amount_cents = models.BigIntegerField()
    unit = models.CharField(max_length=4)
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    # Money that came and could not be credited: the transfer from the bank to suspense.
    suspended = models.OneToOneField(
        "wallets.Transfer", on_delete=models.PROTECT, null=True, blank=True, related_name="suspended_for"
    )
    actor = models.CharField(max_length=60)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "reference", "outcome"], name="notice_once"),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="notice_amount_positive"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="notice_verdict_known"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.reference}: {self.outcome}"
