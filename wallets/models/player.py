from django.conf import settings
from django.db import models


class Player(models.Model):
    """A person who plays. Rows that last for ever name a player by this id and by nothing else."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="player")
    # What others may see and the API calls him by; neither says who he is.
    handle = models.SlugField(max_length=40, unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.handle
