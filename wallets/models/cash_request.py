from collections.abc import Mapping

from django.db import models
from django.db.models import F, Q

from .account import Unit


class CashKind(models.TextChoices):
    """Which way the money of a cash request goes."""

    DEPOSIT = "deposit", "deposit"
    WITHDRAWAL = "withdrawal", "withdrawal"


class CashState(models.TextChoices):
    """How far a cash request has come. The way is one way, and there is no state for a withdrawal taken back."""

    STARTED = "started", "started"
    CONFIRMED = "confirmed", "confirmed"
    FAILED = "failed", "failed"
    # No word came in time. Nothing is decided: money that comes all the same is booked as before.
    EXPIRED = "expired", "expired"
    REQUESTED = "requested", "requested"
    HELD = "held", "held"
    APPROVED = "approved", "approved"
    SENT = "sent", "sent"
    PAID = "paid", "paid"
    REFUSED = "refused", "refused"
    UNKNOWN = "unknown", "outcome unknown"


_S = CashState
# What the database lets a request's state become (wallets/guards.py). Whoever adds a step that ends a withdrawal before
# the provider refused it breaks the promise that a confirmed withdrawal cannot be cancelled by anyone.
CASH_STEPS: Mapping[CashKind, tuple[tuple[CashState, CashState], ...]] = {
    CashKind.DEPOSIT: (
        (_S.STARTED, _S.CONFIRMED), (_S.STARTED, _S.FAILED), (_S.STARTED, _S.UNKNOWN),
        (_S.UNKNOWN, _S.CONFIRMED), (_S.UNKNOWN, _S.FAILED),
        (_S.STARTED, _S.EXPIRED), (_S.EXPIRED, _S.CONFIRMED), (_S.EXPIRED, _S.FAILED),
    ),
    CashKind.WITHDRAWAL: (
        (_S.REQUESTED, _S.HELD), (_S.REQUESTED, _S.APPROVED), (_S.HELD, _S.APPROVED), (_S.APPROVED, _S.SENT),
        (_S.SENT, _S.PAID), (_S.SENT, _S.REFUSED), (_S.SENT, _S.UNKNOWN),
        (_S.UNKNOWN, _S.PAID), (_S.UNKNOWN, _S.REFUSED),
    ),
}  # fmt: skip
FIRST_STATE: Mapping[CashKind, CashState] = {
    CashKind.DEPOSIT: CashState.STARTED,
    CashKind.WITHDRAWAL: CashState.REQUESTED,
}
STATES_OF: Mapping[CashKind, tuple[CashState, ...]] = {
    kind: tuple(dict.fromkeys(state for step in steps for state in step)) for kind, steps in CASH_STEPS.items()
}
# In these the provider's word has moved the money; in none of the others has it.
DONE_STATES = (CashState.CONFIRMED, CashState.PAID)
FINAL_STATES = (*DONE_STATES, CashState.FAILED, CashState.REFUSED)


class CashRequest(models.Model):
    """A player's wish to pay in or to be paid out, and what has become of it.

    The money of a withdrawal leaves the wallet at once (`held`) and waits among the withdrawals pending. It goes to the
    bank when it is paid (`moved`), and back only where the provider definitely refused (`returned`).
    """

    kind = models.CharField(max_length=10, choices=CashKind.choices)
    state = models.CharField(max_length=10, choices=CashState.choices)
    account = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="cash_requests")
    amount_cents = models.BigIntegerField()
    unit = models.CharField(max_length=4, choices=Unit.choices)
    # The provider's code, and the provider's own number of the payment once he has told it.
    provider = models.SlugField(max_length=20, db_index=False)
    provider_reference = models.CharField(max_length=80, null=True, blank=True)
    idempotency_key = models.CharField(max_length=120, unique=True)
    held = models.OneToOneField(
        "wallets.Transfer", on_delete=models.PROTECT, null=True, blank=True, related_name="held_for"
    )
    moved = models.OneToOneField(
        "wallets.Transfer", on_delete=models.PROTECT, null=True, blank=True, related_name="moved_for"
    )
    returned = models.OneToOneField(
        "wallets.Transfer", on_delete=models.PROTECT, null=True, blank=True, related_name="returned_for"
    )
    # Where a withdrawal goes: the address as it stood when it was asked for, and what lasts of it.
    payout_address = models.ForeignKey(
        "wallets.PayoutAddress", on_delete=models.PROTECT, null=True, blank=True, related_name="cash_requests"
    )
    payout_to = models.CharField(max_length=20, blank=True)
    # A withdrawal without an address goes back the way that this deposit came.
    refund_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="refunds")
    # An id such as "player:12" or "api:abcd", never a name.
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="cash_request_amount_positive"),
            models.CheckConstraint(condition=Q(unit=Unit.EUR), name="cash_request_is_money"),
            models.CheckConstraint(
                condition=Q(kind=CashKind.DEPOSIT, state__in=STATES_OF[CashKind.DEPOSIT], held__isnull=True)
                | Q(kind=CashKind.WITHDRAWAL, state__in=STATES_OF[CashKind.WITHDRAWAL], held__isnull=False),
                name="cash_request_state_of_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(state__in=DONE_STATES, moved__isnull=False)
                | (~Q(state__in=DONE_STATES) & Q(moved__isnull=True)),
                name="cash_request_moved_when_done",
            ),
            models.CheckConstraint(
                condition=Q(returned__isnull=True) | Q(state=CashState.REFUSED),
                name="cash_request_returned_when_refused",
            ),
            models.CheckConstraint(
                condition=Q(state__in=FINAL_STATES, decided_at__isnull=False)
                | (~Q(state__in=FINAL_STATES) & Q(decided_at__isnull=True)),
                name="cash_request_decided_at_its_end",
            ),
            models.CheckConstraint(
                condition=Q(payout_address__isnull=True, payout_to="", refund_of__isnull=True)
                | (Q(kind=CashKind.WITHDRAWAL, payout_address__isnull=False, refund_of__isnull=True) & ~Q(payout_to=""))
                | Q(kind=CashKind.WITHDRAWAL, payout_address__isnull=True, payout_to="", refund_of__isnull=False),
                name="cash_request_paid_out_somewhere",
            ),
            models.UniqueConstraint(fields=["provider", "provider_reference"], name="cash_request_one_reference"),
        ]
        indexes = [models.Index(fields=["state", "id"], name="cash_request_by_state")]
        permissions = [("decide_cashrequest", "Can approve, confirm and fail cash requests")]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """What the provider and the player call it by: D12, W13."""
        return f"{self.kind[:1].upper()}{self.pk}"


class CashStep(models.Model):
    """One step of a cash request: who took it, when and why. The first comes from nowhere."""

    request = models.ForeignKey(CashRequest, on_delete=models.PROTECT, related_name="steps")
    from_state = models.CharField(max_length=10, blank=True)
    to_state = models.CharField(max_length=10, choices=CashState.choices)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(from_state=F("to_state")), name="cash_step_goes_on"),
            models.UniqueConstraint(fields=["request", "to_state"], name="cash_step_once"),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.from_state or 'new'} to {self.to_state}"
