from django.db import models
from django.db.models import Q


class LimitSide(models.TextChoices):
    """Who set a limit. Both hold side by side, and the stricter one wins."""

    PLAYER = "player", "the player"
    OPERATOR = "operator", "the operator"


class LimitKind(models.TextChoices):
    """What is limited: cents of money, or seconds of time."""

    DEPOSIT = "deposit", "deposits"
    LOSS = "loss", "losses"
    STAKE = "stake", "stakes"
    SESSION_TIME = "session_time", "time at the tables"
    # How long one may play until the page asks whether to go on.
    REALITY_CHECK = "reality_check", "reality check"


# Kinds whose values are seconds.
COUNTS_TIME = (LimitKind.SESSION_TIME, LimitKind.REALITY_CHECK)


class LimitPeriod(models.TextChoices):
    """Over what it is counted: the player's own calendar, a round, or a stretch of play."""

    DAY = "day", "a day"
    WEEK = "week", "a week"
    MONTH = "month", "a month"
    ROUND = "round", "a round"
    STRETCH = "stretch", "a stretch of play"


class Loosening(models.Model):
    """A player's wish for a looser limit. It waits a day, then needs his word again, and lapses without it."""

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="loosenings")
    kind = models.CharField(max_length=16, choices=LimitKind.choices)
    period = models.CharField(max_length=8, choices=LimitPeriod.choices)
    # The limit that held when it was asked for: another one since then overtakes the wish.
    departs_from = models.ForeignKey("wallets.Limit", on_delete=models.PROTECT, related_name="wishes")
    # None: no limit any more.
    value = models.BigIntegerField(null=True)
    asked_at = models.DateTimeField()
    confirmable_at = models.DateTimeField()
    lapses_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(value__isnull=True) | Q(value__gte=0), name="loosening_value_positive"),
        ]
        indexes = [models.Index(fields=["player", "kind", "period", "-id"], name="loosening_by_player")]

    def __str__(self) -> str:
        return f"loosening {self.pk} of {self.kind} a {self.period}"


class Limit(models.Model):
    """A limit as it holds from `set_at` until the next row of the same player, side, kind and period.

    Rows are only added. The database refuses a player's row that anyone else wrote, a looser one of the player's
    without his own wish of a day before, and a looser one of the operator's without a second person.
    """

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="limits")
    side = models.CharField(max_length=8, choices=LimitSide.choices)
    kind = models.CharField(max_length=16, choices=LimitKind.choices)
    period = models.CharField(max_length=8, choices=LimitPeriod.choices)
    # Cents, or seconds of the kinds that count time; None: no limit any more.
    value = models.BigIntegerField(null=True)
    # "player:12" on the player's side; "staff:3" or "system" on the operator's, where the reason says why.
    actor = models.CharField(max_length=60)
    second_actor = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    loosening = models.OneToOneField(Loosening, on_delete=models.PROTECT, null=True, related_name="limit")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(side__in=LimitSide.values), name="limit_side_known"),
            models.CheckConstraint(
                condition=Q(kind__in=(LimitKind.DEPOSIT, LimitKind.LOSS, LimitKind.SESSION_TIME))
                & Q(period__in=(LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH))
                | Q(kind=LimitKind.STAKE, period=LimitPeriod.ROUND)
                | Q(kind=LimitKind.REALITY_CHECK, period=LimitPeriod.STRETCH),
                name="limit_period_of_kind",
            ),
            models.CheckConstraint(condition=Q(value__isnull=True) | Q(value__gte=0), name="limit_value_positive"),
            models.CheckConstraint(
                condition=Q(side=LimitSide.PLAYER, second_actor="") | Q(side=LimitSide.OPERATOR, loosening=None),
                name="limit_of_one_side",
            ),
            models.CheckConstraint(
                condition=Q(side=LimitSide.PLAYER) | ~Q(reason=""), name="limit_of_the_operator_has_a_reason"
            ),
        ]
        indexes = [models.Index(fields=["player", "side", "kind", "period", "-id"], name="limit_by_player")]

    def __str__(self) -> str:
        return f"{self.kind} a {self.period} of player {self.player_id}, by {self.side}"
