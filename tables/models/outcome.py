from django.db import models
from django.db.models import Q


class OutcomeKind(models.TextChoices):
    """What became of a bet that returns something. A losing bet needs no row: the round's number tells it."""

    WON = "won", "won"
    HALF = "half", "half back"


class BetOutcome(models.Model):
    """What one bet returned in a round; a later revision corrects an earlier one."""

    bet = models.ForeignKey("tables.Bet", on_delete=models.PROTECT, related_name="outcomes")
    game_round = models.ForeignKey("tables.GameRound", on_delete=models.PROTECT, related_name="outcomes")
    revision = models.PositiveSmallIntegerField(default=0)
    kind = models.CharField(max_length=10, choices=OutcomeKind.choices)
    returned_cents = models.BigIntegerField()
    # The order in which the rulebook has winning bets paid.
    payment_rank = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bet", "game_round", "revision"], name="outcome_once"),
            models.CheckConstraint(condition=Q(returned_cents__gte=0), name="outcome_not_negative"),
            models.CheckConstraint(condition=Q(kind__in=OutcomeKind.values), name="outcome_kind_known"),
        ]
        indexes = [models.Index(fields=["game_round"], name="outcome_by_round")]

    def __str__(self) -> str:
        return f"outcome of bet {self.bet_id}"


class RoundTotals(models.Model):
    """The money of one settled round, folded once: what the operator's figures are summed from."""

    game_round = models.OneToOneField(
        "tables.GameRound", on_delete=models.PROTECT, primary_key=True, related_name="totals"
    )
    unit = models.CharField(max_length=4)
    bets = models.PositiveIntegerField()
    staked_cents = models.BigIntegerField()
    stake_returned_cents = models.BigIntegerField()
    prize_cents = models.BigIntegerField()
    half_back_cents = models.BigIntegerField()
    lost_cents = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "round totals"
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    staked_cents=models.F("stake_returned_cents") + models.F("half_back_cents") + models.F("lost_cents")
                ),
                name="totals_stakes_leave_in_play_once",
            ),
        ]

    def __str__(self) -> str:
        return f"totals of round {self.game_round_id}"
