from django.conf import settings
from django.db import models
from django.db.models import Q

from roulette_site.common.models.operator import validate_time_zone


class KycState(models.TextChoices):
    """How far it is known who a player is. Nobody plays for money, or is paid out, before he is verified."""

    UNVERIFIED = "unverified", "not verified"
    PENDING = "pending", "being checked"
    VERIFIED = "verified", "verified"
    REJECTED = "rejected", "rejected"
    EXPIRED = "expired", "expired"


class Standing(models.TextChoices):
    """Whether a player's account is in use."""

    ACTIVE = "active", "active"
    SUSPENDED = "suspended", "suspended"
    CLOSING = "closing", "being closed"
    CLOSED = "closed", "closed"


class Player(models.Model):
    """A person who plays. Rows that last for ever name a player by this id and by nothing else.

    `kyc_state`, `standing` and `is_restricted` have one writer each (wallets/services/standing.py), and what they were
    stands in StandingChange.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="player")
    # What others may see and the API calls him by; neither says who he is.
    handle = models.SlugField(max_length=40, unique=True)
    created_at = models.DateTimeField()
    # Whose calendar his limits run on. It is fixed: a day must not begin anew by a change of place.
    time_zone = models.CharField(max_length=40, default="Europe/Lisbon", validators=[validate_time_zone])
    # An account of the house's own for trying things out: in no figure of the business, and with a capped balance.
    is_test = models.BooleanField(default=False)
    kyc_state = models.CharField(max_length=10, choices=KycState.choices, default=KycState.UNVERIFIED)
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.ACTIVE)
    # Of the staff, or named by a register of people who may not play for money.
    is_restricted = models.BooleanField(default=False)

    class Meta:
        permissions = [
            ("decide_kyc", "Can decide who a player is held to be"),
            ("suspend_player", "Can suspend a player, restrict him, and take him up again"),
            ("protect_player", "Can tighten what protects a player"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kyc_state__in=KycState.values), name="player_kyc_state_known"),
            models.CheckConstraint(condition=Q(standing__in=Standing.values), name="player_standing_known"),
        ]

    def __str__(self) -> str:
        return self.handle
