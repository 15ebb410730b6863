from django.db import models
from django.db.models import Q


class OfferOccasion(models.TextChoices):
    """When a player is offered limits."""

    REGISTRATION = "registration", "registration"
    FIRST_DEPOSIT = "first_deposit", "first deposit"


class LimitsOffer(models.Model):
    """That a player was offered limits, when he answered, and how many he set; none is an answer as well."""

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="limits_offers")
    occasion = models.CharField(max_length=16, choices=OfferOccasion.choices)
    answered_at = models.DateTimeField()
    limits_set = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "occasion"], name="limits_offered_once"),
            models.CheckConstraint(condition=Q(occasion__in=OfferOccasion.values), name="limits_offer_occasion_known"),
        ]

    def __str__(self) -> str:
        return f"offer {self.pk}"
