from django.db import models
from django.db.models import Q


class EndBasis(models.TextChoices):
    """Why a game session ended; each but the player's own will names its basis in law or rules."""

    PLAYER = "player", "ended by the player (rule 29)"
    TABLE_CLOSED = "table_closed", "the table closed"
    EXCLUSION = "exclusion", "the player is excluded (Decree-Law 66/2015, article 39)"
    TIME_LIMIT = "time_limit", "the playing time of the player's limits is used up"
    BARRED = "barred", "the player's account is not in use"


class GameSession(models.Model):
    """One player's access to a table from start to end (rule 3e); a lost connection does not end it.

    Its bets are those placed from its seat, also where they are settled after its end.
    """

    seat = models.OneToOneField("tables.Seat", on_delete=models.PROTECT, related_name="game_session")
    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="game_sessions")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    end_basis = models.CharField(max_length=20, choices=EndBasis.choices, null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(end_basis__isnull=True) | Q(end_basis__in=EndBasis.values), name="session_end_basis_known"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, end_basis__isnull=True)
                | Q(ended_at__isnull=False, end_basis__isnull=False),
                name="session_end_has_basis",
            ),
        ]
        indexes = [models.Index(fields=["player", "-started_at"], name="session_by_player")]

    def __str__(self) -> str:
        return f"game session {self.pk}"
