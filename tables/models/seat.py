from django.db import models
from django.db.models import Q


class Seat(models.Model):
    """A player's place at a table, from sitting down to getting up; bets hang on it."""

    table = models.ForeignKey("tables.Table", on_delete=models.PROTECT, related_name="seats")
    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="seats")
    # The wallet that stakes come from and money returns to.
    account = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="+")
    taken_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)
    # Set from above (sessions_app) and held when placing: the end of the time that the player's limits leave him, and
    # the instant from which he is asked first whether he goes on.
    play_until = models.DateTimeField(null=True, blank=True)
    reality_check_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table", "player"], condition=Q(left_at__isnull=True), name="seat_one_per_player_and_table"
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.pk}"
