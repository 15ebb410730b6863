from django.db import models
from django.db.models import Q


class MediaType(models.TextChoices):
    """What a file of identity papers is."""

    JPEG = "image/jpeg", "photograph (JPEG)"
    PNG = "image/png", "photograph (PNG)"
    PDF = "application/pdf", "scan (PDF)"


class IdentityPaper(models.Model):
    """A file that a player sent to show who he is.

    The row says that there is one; what is in it lies encrypted in the storage "papers", under a name that tells
    nothing. With the erasure of the person the file goes and the row stays.
    """

    player = models.ForeignKey("wallets.Player", on_delete=models.PROTECT, related_name="papers")
    media_type = models.CharField(max_length=20, choices=MediaType.choices)
    size_bytes = models.PositiveIntegerField()
    stored_as = models.CharField(max_length=60, blank=True)
    sent_at = models.DateTimeField()
    # When staff decided about it.
    checked_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(media_type__in=MediaType.values), name="paper_media_type_known"),
            models.CheckConstraint(
                condition=(Q(removed_at__isnull=True) & ~Q(stored_as=""))
                | (Q(removed_at__isnull=False) & Q(stored_as="")),
                name="paper_removed_has_no_file",
            ),
        ]
        indexes = [
            models.Index(fields=["player", "-id"], name="paper_by_player"),
            # The queue of the staff.
            models.Index(
                fields=["sent_at"], condition=Q(checked_at__isnull=True, removed_at__isnull=True), name="paper_waiting"
            ),
        ]

    def __str__(self) -> str:
        return f"paper {self.pk}"
