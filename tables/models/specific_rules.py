from django.db import models
from django.db.models import Q

from tables.roulette.limits import Options
from tables.roulette.rulebook import CODE_LETTERS, Rulebook
from tables.roulette.rulebooks import find_rulebook


class RulesStatus(models.TextChoices):
    """The way of a version: written, put to the regulator, answered, and out of use (preamble 3)."""

    DRAFT = "draft", "draft"
    SUBMITTED = "submitted", "submitted"
    APPROVED = "approved", "approved"
    REFUSED = "refused", "refused"
    RETIRED = "retired", "retired"


class SpecificRules(models.Model):
    """One version of the operator's own rules under a rulebook (preamble 2): what the rulebook leaves to him."""

    rulebook_code = models.CharField(max_length=CODE_LETTERS)
    rulebook_edition = models.DateField()
    version = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=RulesStatus.choices, default=RulesStatus.DRAFT)

    split_dozens_offered = models.BooleanField(default=True)
    split_columns_offered = models.BooleanField(default=True)
    call_bets = models.JSONField(default=list, blank=True)
    total_limit_cents = models.BigIntegerField(null=True, blank=True)
    # An even number of cents, so that the half prize of a 24-number bet and the half back at zero are exact.
    stake_step_cents = models.PositiveIntegerField(default=10)
    # On an individual table the ball is launched by itself so long after the first bet, if the player does not.
    launch_within_seconds = models.PositiveIntegerField(default=120)

    approval_reference = models.CharField(max_length=80, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    in_force_from = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "specific rules"
        constraints = [
            models.UniqueConstraint(fields=["rulebook_code", "version"], name="rules_version_once"),
            models.CheckConstraint(condition=Q(status__in=RulesStatus.values), name="rules_status_known"),
            models.CheckConstraint(
                condition=~Q(status=RulesStatus.APPROVED)
                | (Q(approved_at__isnull=False) & ~Q(approval_reference="") & Q(in_force_from__isnull=False)),
                name="rules_approval_has_reference",
            ),
            models.CheckConstraint(condition=Q(stake_step_cents__gt=0), name="rules_stake_step_positive"),
            models.CheckConstraint(condition=Q(launch_within_seconds__gt=0), name="rules_launch_after_a_bet"),
        ]

    def __str__(self) -> str:
        return f"{self.rulebook_code} version {self.version}"

    @property
    def rulebook(self) -> Rulebook:
        """The rulebook in the edition that these rules were written under; it stays that edition for ever."""
        return find_rulebook(self.rulebook_code, self.rulebook_edition)

    @property
    def options(self) -> Options:
        """The choices as the engine takes them."""
        return Options(
            split_dozens_offered=self.split_dozens_offered,
            split_columns_offered=self.split_columns_offered,
            total_limit_cents=self.total_limit_cents,
            stake_step_cents=self.stake_step_cents,
            call_bets=frozenset(self.call_bets),
        )


class PublishedRules(models.Model):
    """The public page of a version (preamble 4), as it was rendered: permanent and free, never changed."""

    rules = models.OneToOneField(SpecificRules, on_delete=models.PROTECT, related_name="publication")
    html = models.TextField()
    sha256 = models.CharField(max_length=64)
    published_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "published rules"

    def __str__(self) -> str:
        return f"published rules {self.rules_id}"


class RulesTelling(models.Model):
    """That everybody has been told that a version has come into force at a table."""

    rules = models.ForeignKey(SpecificRules, on_delete=models.PROTECT, related_name="tellings")
    table = models.ForeignKey("tables.Table", on_delete=models.PROTECT, related_name="tellings")
    players = models.PositiveIntegerField()
    told_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rules", "table"], name="rules_told_once")]

    def __str__(self) -> str:
        return f"telling {self.pk}"
