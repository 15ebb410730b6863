import datetime as dt
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models

from roulette_site.common.gaming_day import GamingDayRule

colour = RegexValidator(r"\A#[0-9a-fA-F]{6}\Z", "A colour is written as #rrggbb.")


def validate_time_zone(name: str) -> None:
    """Refuse a name that is no place's time zone, as browsers know them too ("localtime" is the machine's own)."""
    if name not in available_timezones() or not ("/" in name or name == "UTC"):
        raise ValidationError(f"{name} is no time zone.")


def six_in_the_morning() -> dt.time:
    """When gaming days begin where the operator says nothing else."""
    return dt.time(6, 0)


class Operator(models.Model):
    """The house: who it is, under which licence, and where a player turns for help. There is one."""

    legal_name = models.CharField(max_length=120)
    brand = models.CharField(max_length=60)
    licence = models.CharField(max_length=60)
    accent_colour = models.CharField(max_length=7, default="#d9b44a", validators=[colour])
    felt_colour = models.CharField(max_length=7, default="#0c5236", validators=[colour])
    time_zone = models.CharField(max_length=40, default="Europe/Lisbon", validators=[validate_time_zone])
    gaming_day_starts_at = models.TimeField(default=six_in_the_morning)
    help_address = models.CharField(max_length=200)
    complaint_address = models.CharField(max_length=200)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="operator_is_one")]

    def __str__(self) -> str:
        return self.brand

    @property
    def gaming_day_rule(self) -> GamingDayRule:
        return GamingDayRule(zone=ZoneInfo(self.time_zone), starts_at=self.gaming_day_starts_at)
