from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class AuditEntry(models.Model):
    """Who did what to which object, when and why. Holds ids and never a name or an address, so that it can stay."""

    # "player:12", "staff:3", "api:<prefix of the key>" or "system".
    actor = models.CharField(max_length=60)
    # The act's stable name, such as "rules_approved".
    act = models.CharField(max_length=60)
    subject_kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=60)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField(blank=True)
    # When the act was done, as its service was told; and when the database took the entry, by its own clock.
    at = models.DateTimeField()
    recorded_at = models.DateTimeField(db_default=Now())
    # Empty where the act was done outside of a request.
    request_id = models.CharField(max_length=64, blank=True)
    # Ties the entry to the rows that its act changed (RowChange); empty where it changed none that are watched.
    act_key = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        constraints = [
            models.CheckConstraint(condition=~Q(actor="") & ~Q(act="") & ~Q(subject_kind=""), name="audit_says_who"),
        ]
        indexes = [
            models.Index(fields=["subject_kind", "subject_id", "id"], name="audit_by_subject"),
            models.Index(fields=["actor", "id"], name="audit_by_actor"),
            models.Index(fields=["request_id"], condition=~Q(request_id=""), name="audit_by_request"),
            models.Index(fields=["act_key"], condition=~Q(act_key=""), name="audit_by_act_key"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"

    @property
    def subject(self) -> str:
        return f"{self.subject_kind}:{self.subject_id}"


class AuditSeal(models.Model):
    """The place of an entry in the chain: its number without a gap, and a hash over the seal before it."""

    entry = models.OneToOneField(AuditEntry, on_delete=models.PROTECT, primary_key=True, related_name="seal")
    sequence = models.PositiveBigIntegerField(unique=True)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(sequence__gt=0), name="audit_seal_from_one")]

    def __str__(self) -> str:
        return f"seal {self.sequence}"


class RowChange(models.Model):
    """A change of a watched row, written by the database's own trigger, however the change was made."""

    table_name = models.CharField(max_length=63)
    row_key = models.CharField(max_length=60)
    operation = models.CharField(max_length=10)
    # Column: [old, new], for columns that changed.
    columns = models.JSONField()
    # By the database's own clock.
    at = models.DateTimeField()
    act_key = models.CharField(max_length=32, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["table_name", "row_key", "id"], name="row_change_by_row"),
            models.Index(fields=["act_key"], name="row_change_by_act_key"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.table_name} {self.row_key}"


class BookSeal(models.Model):
    """What of the books has come to its end, as it stood then: a link of a chain of its own (book_seals.py)."""

    sequence = models.PositiveBigIntegerField(primary_key=True)
    # What was sealed: "round", "seat", "row_change", or a table of which each row is sealed by itself.
    kind = models.CharField(max_length=63)
    subject_id = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    # Of a change, the keyed digest of the changed row as it then stood; empty where the row was gone.
    row_digest = models.CharField(max_length=64, blank=True)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject_id"], name="book_seal_once"),
            models.CheckConstraint(condition=Q(sequence__gt=0), name="book_seal_from_one"),
        ]

    def __str__(self) -> str:
        return f"seal {self.sequence} of {self.kind} {self.subject_id}"


class ActInHand(models.Model):
    """On SQLite, the key of the act that the writing transaction does; there is a row only while it is open.

    On PostgreSQL a setting of the transaction says the same, and this table stays empty.
    """

    act_key = models.CharField(max_length=32)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="act_in_hand_is_one")]

    def __str__(self) -> str:
        return self.act_key
