from django.conf import settings
from django.db import models
from django.db.models import Q


class Entrance(models.TextChoices):
    """Where somebody logged in."""

    PLAYERS = "players", "players"
    STAFF = "staff", "back-office"


class LoginRecord(models.Model):
    """One login: when, where from, and in which HTTP session. Personal data: erased with the person."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="login_records")
    entrance = models.CharField(max_length=8, choices=Entrance.choices)
    at = models.DateTimeField()
    address = models.GenericIPAddressField(null=True, blank=True)
    browser = models.CharField(max_length=200, blank=True)
    # Empty once the session has ended: then it opens nothing, and nobody needs it any more.
    session_key = models.CharField(max_length=40, blank=True, db_index=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(entrance__in=Entrance.values), name="login_entrance_known"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(session_key=""), name="login_ended_has_no_session"
            ),
        ]
        indexes = [models.Index(fields=["user", "-at"], name="login_by_user")]

    def __str__(self) -> str:
        return f"login {self.pk}"
