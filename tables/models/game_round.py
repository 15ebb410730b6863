from django.db import models
from django.db.models import Q

from tables.roulette.rulebook import CODE_LETTERS, Rulebook
from tables.roulette.rulebooks import find_rulebook


class RoundState(models.TextChoices):
    """The way of a round (the regulation's play, the French coup)."""

    BETTING = "betting", "bets are open"
    CLOSED = "closed", "no more bets"
    DRAWN = "drawn", "the number stands"
    SETTLED = "settled", "paid"
    VOID = "void", "void"
    UNUSED = "unused", "ended without a bet"


UNFINISHED = (RoundState.BETTING, RoundState.CLOSED, RoundState.DRAWN)
FINISHED = (RoundState.SETTLED, RoundState.VOID, RoundState.UNUSED)


class GameRound(models.Model):
    """One play at one table: bets open, the ball falls on a number, prizes are paid (rule 3d).

    On an individual table a round belongs to one seat. Code, edition and digest of the rulebook, the version of the
    specific rules and the minimum stand on the round, and it is settled and verified by them for ever.
    """

    table = models.ForeignKey("tables.Table", on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveBigIntegerField()
    seat = models.ForeignKey("tables.Seat", on_delete=models.PROTECT, null=True, blank=True, related_name="rounds")
    state = models.CharField(max_length=8, choices=RoundState.choices, default=RoundState.BETTING)
    rules = models.ForeignKey("tables.SpecificRules", on_delete=models.PROTECT, related_name="+")
    rulebook_code = models.CharField(max_length=CODE_LETTERS)
    rulebook_edition = models.DateField()
    rulebook_digest = models.CharField(max_length=64)
    minimum_cents = models.BigIntegerField()
    opened_at = models.DateTimeField()
    # The deadline for bets. On an individual table it is set by the first bet, and taken away with the last.
    closes_at = models.DateTimeField(null=True, blank=True)
    # The player's own part of the draw on an individual table, fixed by his first bet.
    client_seed = models.CharField(max_length=64, blank=True)
    # SHA-256 over all bets that stand at closing: nobody can change them after.
    bets_digest = models.CharField(max_length=64, null=True, blank=True)
    winning_number = models.PositiveSmallIntegerField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    drawn_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="round_number_once"),
            models.UniqueConstraint(
                fields=["seat"],
                condition=Q(state__in=UNFINISHED),
                name="round_one_at_a_time_per_seat",
            ),
            models.CheckConstraint(condition=Q(state__in=RoundState.values), name="round_state_known"),
            models.CheckConstraint(
                condition=Q(winning_number__isnull=True) | Q(winning_number__lte=36), name="round_number_on_the_wheel"
            ),
            models.CheckConstraint(
                condition=Q(state__in=(RoundState.DRAWN, RoundState.SETTLED), winning_number__isnull=False)
                | (~Q(state__in=(RoundState.DRAWN, RoundState.SETTLED)) & Q(winning_number__isnull=True)),
                name="round_number_where_drawn",
            ),
        ]
        indexes = [
            # What the sweep looks for: the few rounds that are not finished.
            models.Index(
                fields=["state", "closes_at"],
                condition=Q(state__in=UNFINISHED),
                name="round_unfinished",
            ),
            models.Index(fields=["seat", "-number"], name="round_by_seat"),
        ]

    def __str__(self) -> str:
        return f"round {self.table_id}/{self.number}"

    @property
    def rulebook(self) -> Rulebook:
        """The rulebook in the edition that this round was opened under."""
        return find_rulebook(self.rulebook_code, self.rulebook_edition)
