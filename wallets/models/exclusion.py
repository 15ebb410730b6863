from django.db import models
from django.db.models import F, Q


class ExclusionKind(models.TextChoices):
    """Who keeps a player from the games, and for how long at least."""

    SELF = "self", "self-exclusion"
    PAUSE = "pause", "a pause"
    OPERATOR = "operator", "by the operator"
    REGISTER = "register", "by a register"
    # Of another account that seems to be the same person's: what holds for one holds for all.
    DOUBLE = "double", "as another account"


class Exclusion(models.Model):
    """From `starts_at` the player places no bet and pays nothing in; what he has he may withdraw."""

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="exclusions")
    kind = models.CharField(max_length=8, choices=ExclusionKind.choices)
    starts_at = models.DateTimeField()
    # None: without end.
    ends_at = models.DateTimeField(null=True)
    # What was chosen, such as "3 months": an end alone does not say it.
    term = models.CharField(max_length=20)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=500, blank=True)
    # The exclusion that this one carries over to another account of the same person's.
    original = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="copies")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=ExclusionKind.values), name="exclusion_kind_known"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gt=F("starts_at")), name="exclusion_ends_later"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=(ExclusionKind.SELF, ExclusionKind.PAUSE)) | ~Q(reason=""),
                name="exclusion_by_others_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(kind=ExclusionKind.DOUBLE, original__isnull=False)
                | ~Q(kind=ExclusionKind.DOUBLE) & Q(original__isnull=True),
                name="exclusion_of_a_double_has_an_original",
            ),
        ]
        indexes = [models.Index(fields=["player", "-id"], name="exclusion_by_player")]

    def __str__(self) -> str:
        return f"{self.kind} exclusion {self.pk}"


class ExclusionEnd(models.Model):
    """The early end of an exclusion, asked for at `asked_at` and in force from `ends_at`."""

    exclusion = models.OneToOneField(Exclusion, on_delete=models.PROTECT, primary_key=True, related_name="early_end")
    asked_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    actor = models.CharField(max_length=60)
    # The second of the two who lift what was not the player's own choice.
    second_actor = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gte=F("asked_at")), name="exclusion_end_is_not_past"),
        ]

    def __str__(self) -> str:
        return f"end of exclusion {self.exclusion_id}"
