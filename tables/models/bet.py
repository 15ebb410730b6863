from django.db import models
from django.db.models import Q

from tables.roulette.cloth import SPOTS, Spot


class Slip(models.Model):
    """Bets placed in one act, all or none. Its transfer from the wallet to in play gives it its id and its key."""

    transfer = models.OneToOneField("wallets.Transfer", on_delete=models.PROTECT, primary_key=True, related_name="slip")
    # Its own index would repeat the beginning of the one below, and every bet would write both.
    game_round = models.ForeignKey("tables.GameRound", on_delete=models.PROTECT, related_name="slips", db_index=False)
    seat = models.ForeignKey("tables.Seat", on_delete=models.PROTECT, related_name="slips")
    # SHA-256 of what was asked for: the same key with another body is refused, not answered.
    body_hash = models.CharField(max_length=64)
    # Random, and told to its player alone: with it he shows what of the round's digest is his, and nobody guesses it.
    salt = models.CharField(max_length=36)
    placed_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(salt=""), name="slip_salted")]
        indexes = [models.Index(fields=["game_round", "seat"], name="slip_by_round_and_seat")]

    def __str__(self) -> str:
        return f"slip {self.pk}"


class SlipCall(models.Model):
    """A call bet as it was announced (rule 8); its parts stand beside it as bets."""

    slip = models.ForeignKey(Slip, on_delete=models.PROTECT, related_name="calls")
    ordinal = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=24)
    # Number and neighbours of "neighbours", digit of "final".
    parameters = models.JSONField(default=dict)
    unit_cents = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slip", "ordinal"], name="slip_call_once")]

    def __str__(self) -> str:
        return f"call {self.name} of slip {self.slip_id}"


class Bet(models.Model):
    """Money on one spot in one round, immutable. It is live while its slip is not taken back."""

    slip = models.ForeignKey(Slip, on_delete=models.PROTECT, related_name="bets")
    game_round = models.ForeignKey("tables.GameRound", on_delete=models.PROTECT, related_name="bets", db_index=False)
    account = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="+")
    spot = models.PositiveSmallIntegerField()
    stake_cents = models.BigIntegerField()
    # The call bet of the slip that this is a part of.
    call_ordinal = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(stake_cents__gt=0), name="bet_stake_positive"),
            models.CheckConstraint(condition=Q(spot__lt=len(SPOTS)), name="bet_spot_on_the_cloth"),
        ]
        # Under the account's lock the sum over a player's live bets of a round is answered by this index.
        indexes = [models.Index(fields=["game_round", "account"], name="bet_by_round_and_account")]

    def __str__(self) -> str:
        return f"bet {self.pk}"

    @property
    def place(self) -> Spot:
        """The spot of the cloth that the bet stands on."""
        return SPOTS[self.spot]


class SlipWithdrawal(models.Model):
    """A slip taken back while bets were open: it stays on record and counts in no amount, limit or report."""

    slip = models.OneToOneField(Slip, on_delete=models.PROTECT, primary_key=True, related_name="withdrawal")
    transfer = models.OneToOneField("wallets.Transfer", on_delete=models.PROTECT, related_name="+")
    taken_back_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"withdrawal of slip {self.slip_id}"
