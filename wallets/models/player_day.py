from django.db import models
from django.db.models import Q


class PlayerDay(models.Model):
    """What a player paid in, staked and got back on one day of his own calendar; limits are held against it.

    A stake counts on the day it was placed, until it is taken back or its round is void; a return on the day it is
    paid. Written under the account's lock with each transfer that names the day, so that it equals their sums.
    """

    # The unique key begins with it and finds it as well.
    account = models.ForeignKey("wallets.Account", on_delete=models.PROTECT, related_name="days", db_index=False)
    day = models.DateField()
    deposited_cents = models.BigIntegerField(default=0)
    staked_cents = models.BigIntegerField(default=0)
    returned_cents = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "day"], name="player_day_once"),
            models.CheckConstraint(
                condition=Q(deposited_cents__gte=0, staked_cents__gte=0, returned_cents__gte=0),
                name="player_day_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} of account {self.account_id}"
