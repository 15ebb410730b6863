from django.db import models


class RealityCheck(models.Model):
    """That a player was asked, after a stretch of play, whether he goes on, and said so."""

    game_session = models.ForeignKey(
        "sessions_app.GameSession", on_delete=models.PROTECT, related_name="reality_checks"
    )
    due_at = models.DateTimeField()
    acknowledged_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game_session", "due_at"], name="reality_check_once"),
            models.CheckConstraint(
                condition=models.Q(acknowledged_at__gte=models.F("due_at")), name="reality_check_after_it_is_due"
            ),
        ]

    def __str__(self) -> str:
        return f"reality check of game session {self.game_session_id}"
