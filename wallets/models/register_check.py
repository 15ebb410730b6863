from django.db import models
from django.db.models import F, Q


class RegisterAnswer(models.TextChoices):
    """What a register of excluded people answered; OFF stands for a house that asks none."""

    LISTED = "listed", "listed"
    NOT_LISTED = "not_listed", "not listed"
    UNKNOWN = "unknown", "no answer"
    OFF = "off", "no register is asked"


DEFINITE_ANSWERS = (RegisterAnswer.LISTED, RegisterAnswer.NOT_LISTED)


class RegisterOccasion(models.TextChoices):
    """At what a register was asked about a player."""

    REGISTRATION = "registration", "he registered"
    VERIFICATION = "verification", "his identity was decided"
    LOGIN = "login", "he logged in"
    SITTING_DOWN = "sitting_down", "he sat down"
    BET = "bet", "he bet"
    RECHECK = "recheck", "all players were asked about"


class RegisterCheck(models.Model):
    """One question about a player to the register, and its answer. Holds ids, and nothing of what was asked by."""

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="register_checks")
    asked_at = models.DateTimeField()
    occasion = models.CharField(max_length=16, choices=RegisterOccasion.choices)
    # The register's code, and the edition of it that answered (of a file, the digest).
    register = models.CharField(max_length=20)
    edition = models.CharField(max_length=64, blank=True)
    answer = models.CharField(max_length=12, choices=RegisterAnswer.choices)
    # By what he could be found: "document", "name", or both.
    by_document = models.BooleanField(default=False)
    by_name = models.BooleanField(default=False)
    # A part of the register could not be read: that it does not name somebody then frees nobody.
    is_whole = models.BooleanField(default=True)
    # Until when bets for money may stand on a definite answer.
    good_until = models.DateTimeField(null=True, blank=True)
    # Of all who were asked about in one run; empty for who was asked about alone.
    batch = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(answer__in=RegisterAnswer.values), name="register_answer_known"),
            models.CheckConstraint(condition=Q(occasion__in=RegisterOccasion.values), name="register_occasion_known"),
            models.CheckConstraint(
                condition=Q(answer__in=DEFINITE_ANSWERS, good_until__isnull=False, good_until__gt=F("asked_at"))
                | (~Q(answer__in=DEFINITE_ANSWERS) & Q(good_until__isnull=True)),
                name="register_answer_is_good_for_a_time",
            ),
            models.CheckConstraint(
                condition=~Q(answer__in=DEFINITE_ANSWERS) | Q(by_document=True) | Q(by_name=True),
                name="register_answers_by_something",
            ),
        ]
        indexes = [models.Index(fields=["player", "-asked_at", "-id"], name="register_check_by_player")]

    def __str__(self) -> str:
        return f"register check {self.pk}: {self.answer}"
