from django.db import models


class RoundSeed(models.Model):
    """The secret of a drawn round, stored before bets open: encrypted for the workers, its SHA-256 shown to all."""

    game_round = models.OneToOneField(
        "tables.GameRound", on_delete=models.PROTECT, primary_key=True, related_name="secret"
    )
    algorithm = models.CharField(max_length=30)
    commitment = models.CharField(max_length=64)
    sealed_seed = models.BinaryField()

    def __str__(self) -> str:
        return f"seed of round {self.game_round_id}"


class RoundDraw(models.Model):
    """The seed shown when the round is over, drawn or not, so that anyone can recompute the number."""

    game_round = models.OneToOneField(
        "tables.GameRound", on_delete=models.PROTECT, primary_key=True, related_name="draw"
    )
    seed_hex = models.CharField(max_length=64)
    revealed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draw of round {self.game_round_id}"
