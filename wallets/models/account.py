from django.db import models
from django.db.models import Q


class Unit(models.TextChoices):
    """What is counted: the one currency of money, and play units that are not money (rules 32, 33)."""

    EUR = "EUR", "euro"
    DEMO = "DEMO", "play units"


class AccountKind(models.TextChoices):
    """Who or what a balance belongs to. Wallets and chips are the players'; the others are the operator's."""

    WALLET = "wallet", "wallet"
    CHIPS = "chips", "chips"
    IN_PLAY = "in_play", "in play"
    HOUSE = "house", "house"
    BANK = "bank", "bank"
    FLOAT = "float", "float"
    TIPS = "tips", "tips"
    RECEIVABLE = "receivable", "receivable"
    SUSPENSE = "suspense", "suspense"
    PENDING = "pending", "withdrawals pending"


PLAYER_KINDS = (AccountKind.WALLET, AccountKind.CHIPS)
# The operator has one account of each of these in each unit.
SINGLE_KINDS = (AccountKind.HOUSE, AccountKind.BANK, AccountKind.SUSPENSE, AccountKind.PENDING)


class Account(models.Model):
    """A holder of a balance, in one unit.

    A player's account carries its balance, which the database keeps at zero or above. The operator's accounts carry
    none: one row that every bet updates would queue all players, so their balances are sums of transfers.
    """

    kind = models.CharField(max_length=12, choices=AccountKind.choices)
    unit = models.CharField(max_length=4, choices=Unit.choices)
    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, null=True, blank=True)
    balance_cents = models.BigIntegerField(null=True, blank=True)
    # What a bet from here is held against, folded from the player's states, exclusions and limits by the one writer
    # (wallets/services/gates.py) under this row's lock, so that placing and whatever changes it exclude each other.
    # Words apart by spaces, such as "not_verified"; none: bets are taken.
    barred = models.CharField(max_length=80, blank=True, default="")
    excluded_until = models.DateTimeField(null=True, blank=True)
    # From then on no bet for money is taken before the register of excluded people has answered anew; None: as long
    # as no register is asked about him.
    unchecked_from = models.DateTimeField(null=True, blank=True)
    stake_limit_cents = models.BigIntegerField(null=True, blank=True)
    loss_day_limit_cents = models.BigIntegerField(null=True, blank=True)
    loss_week_limit_cents = models.BigIntegerField(null=True, blank=True)
    loss_month_limit_cents = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=AccountKind.values), name="account_kind_known"),
            models.CheckConstraint(condition=Q(unit__in=Unit.values), name="account_unit_known"),
            models.CheckConstraint(
                condition=Q(kind__in=PLAYER_KINDS, balance_cents__gte=0, balance_cents__isnull=False)
                | (~Q(kind__in=PLAYER_KINDS) & Q(balance_cents__isnull=True)),
                name="account_balance_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=(*PLAYER_KINDS, AccountKind.RECEIVABLE), player__isnull=False)
                | (~Q(kind__in=(*PLAYER_KINDS, AccountKind.RECEIVABLE)) & Q(player__isnull=True)),
                name="account_player_where_due",
            ),
            models.UniqueConstraint(
                fields=["player", "unit"], condition=Q(kind=AccountKind.WALLET), name="account_one_wallet"
            ),
            models.UniqueConstraint(
                fields=["player", "unit"], condition=Q(kind=AccountKind.RECEIVABLE), name="account_one_receivable"
            ),
            models.UniqueConstraint(
                fields=["kind", "unit"],
                condition=Q(kind__in=SINGLE_KINDS),
                name="account_one_of_the_operator",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.unit})"

    @property
    def loss_limits(self) -> tuple[tuple[str, int | None], ...]:
        """The most that may be lost a day, a week and a month."""
        limits = (self.loss_day_limit_cents, self.loss_week_limit_cents, self.loss_month_limit_cents)
        return tuple(zip(("day", "week", "month"), limits, strict=True))
