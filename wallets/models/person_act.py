from django.conf import settings
from django.db import models
from django.db.models import Q


class PersonActKind(models.TextChoices):
    """What was done to somebody's account or data, by staff or by himself."""

    ACCOUNT_CLOSED = "account_closed", "account closed"
    LOGIN_UNLOCKED = "login_unlocked", "login unlocked"
    SECOND_FACTOR_RESET = "second_factor_reset", "second factor taken away"
    EXPORTED = "exported", "data exported"
    ERASED = "erased", "data erased"


class PersonAct(models.Model):
    """An act on somebody's account or data, with who did it and why. Never changed, and holds ids."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="acts_on")
    kind = models.CharField(max_length=24, choices=PersonActKind.choices)
    # An id such as "staff:3", "player:12" or "system", never a name.
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=300)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=PersonActKind.values), name="person_act_kind_known"),
            models.CheckConstraint(condition=~Q(actor="") & ~Q(reason=""), name="person_act_says_who_and_why"),
        ]
        indexes = [models.Index(fields=["user", "kind", "-at"], name="person_act_by_user")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
