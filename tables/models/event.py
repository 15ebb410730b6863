from django.db import models


class EventKind(models.TextChoices):
    """What happened to a round, as pages and other systems are told."""

    BETTING = "betting", "bets are open"
    CLOSED = "closed", "no more bets"
    DRAWN = "drawn", "the number stands"
    SETTLED = "settled", "paid"
    UNUSED = "unused", "ended without a bet"


class RoundEvent(models.Model):
    """One line of a table's story, written in the step's own transaction. `sequence` has no gap per table."""

    table = models.ForeignKey("tables.Table", on_delete=models.PROTECT, related_name="events")
    sequence = models.PositiveBigIntegerField()
    game_round = models.ForeignKey("tables.GameRound", on_delete=models.PROTECT, related_name="events")
    # On an individual table the player that it concerns.
    seat = models.ForeignKey("tables.Seat", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=10, choices=EventKind.choices)
    happened_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "sequence"], name="event_sequence_once")]

    def __str__(self) -> str:
        return f"event {self.table_id}/{self.sequence} {self.kind}"
