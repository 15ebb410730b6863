from django.conf import settings
from django.db import models
from django.db.models import Q


class ConsentTo(models.TextChoices):
    """What somebody agrees to."""

    TERMS = "terms", "terms of use"
    PRIVACY = "privacy", "privacy notice"


class Consent(models.Model):
    """That somebody agreed to a version of a text, and when. Never changed: who agrees again gets another row."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="consents")
    text = models.CharField(max_length=12, choices=ConsentTo.choices)
    version = models.CharField(max_length=20)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(text__in=ConsentTo.values), name="consent_text_known"),
            models.CheckConstraint(condition=~Q(version=""), name="consent_names_a_version"),
        ]

    def __str__(self) -> str:
        return f"consent {self.pk}: {self.text} {self.version}"
