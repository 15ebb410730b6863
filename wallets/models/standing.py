from django.db import models
from django.db.models import F, Q


class StandingField(models.TextChoices):
    """Which of a player's states changed."""

    KYC_STATE = "kyc_state", "identity"
    STANDING = "standing", "account"
    RESTRICTION = "is_restricted", "restriction"


class StandingChange(models.Model):
    """A change of who a player is held to be or what he may do, with who decided it and why."""

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="standing_changes")
    field = models.CharField(max_length=16, choices=StandingField.choices)
    before = models.CharField(max_length=10)
    after = models.CharField(max_length=10)
    reason = models.CharField(max_length=500)
    # An id such as "staff:3" or "system", never a name.
    actor = models.CharField(max_length=60)
    # The second of the two who take up a suspended account again, or lift a restriction of the house's.
    second_actor = models.CharField(max_length=60, blank=True, default="")
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(field__in=StandingField.values), name="standing_field_known"),
            models.CheckConstraint(condition=~Q(before=F("after")), name="standing_changes_something"),
            models.CheckConstraint(condition=~Q(reason=""), name="standing_has_a_reason"),
        ]
        indexes = [models.Index(fields=["player", "field", "-id"], name="standing_by_player")]

    def __str__(self) -> str:
        return f"{self.field} of player {self.player_id}: {self.before} to {self.after}"
