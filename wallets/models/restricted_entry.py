from django.db import models
from django.db.models import F, Q


class RestrictedKind(models.TextChoices):
    """Why somebody may not play for money."""

    STAFF = "staff", "works for the operator"
    REGISTER = "register", "named by a register"
    COURT = "court", "by order of a court"
    OTHER = "other", "another bar of the law"


_NOT_ENDED = Q(
    ended_at__isnull=True, end_actor__isnull=True, end_second_actor__isnull=True, end_reason__isnull=True
)  # fmt: skip
_ENDED = (
    Q(ended_at__isnull=False, end_actor__isnull=False, end_second_actor__isnull=False, end_reason__isnull=False)
    & ~Q(end_actor="")
    & ~Q(end_second_actor="")
    & ~Q(end_reason="")
)


class RestrictedEntry(models.Model):
    """A person whom the registry bars from playing for money, whether he is a player yet or not.

    He is known by keyed hashes alone. They are blanked once the entry has ended and need not be kept any longer; two
    people end an entry, and a CHECK holds it.
    """

    kind = models.CharField(max_length=10, choices=RestrictedKind.choices)
    document_hash = models.CharField(max_length=64, blank=True, db_index=True)
    email_hash = models.CharField(max_length=64, blank=True, db_index=True)
    reason = models.CharField(max_length=500)
    starts_at = models.DateTimeField()
    # None: without end.
    ends_at = models.DateTimeField(null=True, blank=True)
    actor = models.CharField(max_length=60)
    entered_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    end_actor = models.CharField(max_length=60, null=True, blank=True)
    end_second_actor = models.CharField(max_length=60, null=True, blank=True)
    end_reason = models.CharField(max_length=500, null=True, blank=True)

    class Meta:
        verbose_name_plural = "restricted entries"
        permissions = [("enter_restricted", "Can enter a person who may not play for money")]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=RestrictedKind.values), name="restricted_kind_known"),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(actor=""), name="restricted_says_who_and_why"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gt=F("starts_at")), name="restricted_ends_later"
            ),
            models.CheckConstraint(condition=_NOT_ENDED | _ENDED, name="restricted_end_is_whole"),
            models.CheckConstraint(
                condition=Q(end_actor__isnull=True) | ~Q(end_second_actor=F("end_actor")),
                name="restricted_is_ended_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"restricted entry {self.pk}"
