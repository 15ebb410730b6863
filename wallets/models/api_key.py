from django.db import models
from rest_framework_api_key.models import AbstractAPIKey


class Scope(models.TextChoices):
    """What a key may do."""

    PLAY = "play", "play as a player"
    READ = "read", "read"
    CASH = "cash", "move money in and out"


class ApiKey(AbstractAPIKey):
    """The credential of another system. Only a hash of it is kept."""

    scopes = models.JSONField(default=list)

    class Meta(AbstractAPIKey.Meta):
        verbose_name = "API key"
        verbose_name_plural = "API keys"
