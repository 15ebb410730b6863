from django.db import models
from django.db.models import F, Q


class RequestState(models.TextChoices):
    """Whether a request still waits, and what became of it."""

    OPEN = "open", "open"
    APPROVED = "approved", "approved"
    REFUSED = "refused", "refused"
    EXPIRED = "expired", "expired"


class FourEyesRequest(models.Model):
    """An act that one person asks for and another one decides. People stand here as ids ("staff:3")."""

    # The name under which an app registered the act, and its arguments as JSON.
    act = models.CharField(max_length=60)
    arguments = models.JSONField()
    maker = models.CharField(max_length=60)
    reason = models.TextField()
    evidence = models.TextField(blank=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=RequestState.choices, default=RequestState.OPEN)
    decider = models.CharField(max_length=60, null=True, blank=True)
    decision_reason = models.TextField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "four-eyes request"
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RequestState.values), name="four_eyes_state_known"),
            # The maker never decides, whoever he is and however it is written.
            models.CheckConstraint(
                condition=Q(decider__isnull=True) | ~Q(decider=F("maker")), name="four_eyes_maker_never_decides"
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=(RequestState.APPROVED, RequestState.REFUSED),
                    decider__isnull=False,
                    decision_reason__isnull=False,
                    decided_at__isnull=False,
                )
                | Q(
                    state__in=(RequestState.OPEN, RequestState.EXPIRED),
                    decider__isnull=True,
                    decision_reason__isnull=True,
                    decided_at__isnull=True,
                ),
                name="four_eyes_decision_is_whole",
            ),
            models.CheckConstraint(condition=~Q(maker="") & ~Q(reason=""), name="four_eyes_says_who_and_why"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("made_at")), name="four_eyes_expires_later"),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=True) | Q(decided_at__lt=F("expires_at")),
                name="four_eyes_decided_in_time",
            ),
        ]
        indexes = [models.Index(fields=["expires_at"], condition=Q(state="open"), name="four_eyes_open")]
        permissions = [
            ("request_floor", "Can ask for acts of the floor"),
            ("decide_floor", "Can decide requests of the floor"),
            ("request_compliance", "Can ask for acts of compliance"),
            ("decide_compliance", "Can decide requests of compliance"),
            ("request_finance", "Can ask for acts of finance"),
            ("decide_finance", "Can decide requests of finance"),
        ]

    def __str__(self) -> str:
        return f"request {self.pk}: {self.act}"
