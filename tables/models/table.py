from django.db import models
from django.db.models import Q

from wallets.models import Unit


class TableKind(models.TextChoices):
    """Rule 4: for one player, who launches the ball, or for many, for whom a timer runs."""

    INDIVIDUAL = "individual", "individual"
    MULTIPLAYER = "multiplayer", "multiplayer"


class NumberSource(models.TextChoices):
    """Where the winning number comes from: the machine's draw, or a croupier's wheel."""

    DRAWN = "drawn", "drawn"
    DEALT = "dealt", "dealt"


class TableState(models.TextChoices):
    """Whether a table takes players."""

    OPEN = "open", "open"
    SUSPENDED = "suspended", "suspended"
    CLOSED = "closed", "closed"


class Table(models.Model):
    """A table of the house, under one version of the specific rules at one minimum."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=12, choices=TableKind.choices)
    unit = models.CharField(max_length=4, choices=Unit.choices)
    number_source = models.CharField(max_length=6, choices=NumberSource.choices)
    rules = models.ForeignKey("tables.SpecificRules", on_delete=models.PROTECT, related_name="tables")
    minimum_cents = models.BigIntegerField()
    state = models.CharField(max_length=10, choices=TableState.choices, default=TableState.CLOSED)
    # What stands on the cloth and is not decided yet: an account of the table's own.
    in_play = models.OneToOneField("wallets.Account", on_delete=models.PROTECT, related_name="+")
    # Counters under the row's own lock: round numbers and event sequences have no gap per table.
    last_round_number = models.PositiveBigIntegerField(default=0)
    last_event_sequence = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(minimum_cents__gt=0), name="table_minimum_positive"),
            models.CheckConstraint(condition=Q(state__in=TableState.values), name="table_state_known"),
            models.CheckConstraint(condition=Q(kind__in=TableKind.values), name="table_kind_known"),
            models.CheckConstraint(condition=Q(number_source__in=NumberSource.values), name="table_source_known"),
        ]

    def __str__(self) -> str:
        return self.name
