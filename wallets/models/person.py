from django.conf import settings
from django.db import models
from django.db.models import Q

from wallets.personal import LANGUAGES

_BLANK = {
    "birth_date__isnull": True,
    "country": "",
    "language": "",
    "time_zone": "",
    "address": "",
    "document_type": "",
    "document_number_sealed": "",
    "document_hash": "",
    "document_country": "",
    "document_expires_on__isnull": True,
    "expiry_told_at__isnull": True,
    "email_hash": "",
    "name_hash": "",
}


class DocumentType(models.TextChoices):
    """By what a person is identified."""

    IDENTITY_CARD = "identity_card", "identity card"
    PASSPORT = "passport", "passport"
    RESIDENCE_PERMIT = "residence_permit", "residence permit"


class Person(models.Model):
    """Who a user is beyond name and address. Here and in User stand the personal data, so that they can be erased.

    The hashes are keyed (wallets/sealing.py): they find a row and tell nothing.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="person")
    birth_date = models.DateField(null=True, blank=True)
    # ISO 3166-1; checked where it is written: the list of countries comes with the time zones, and changes with them.
    country = models.CharField(max_length=2, blank=True)
    language = models.CharField(max_length=5, blank=True, choices=tuple(LANGUAGES.items()))
    time_zone = models.CharField(max_length=40, blank=True)
    address = models.CharField(max_length=300, blank=True)
    document_type = models.CharField(max_length=20, blank=True, choices=DocumentType.choices)
    document_number_sealed = models.TextField(blank=True)
    document_hash = models.CharField(max_length=64, blank=True, db_index=True)
    # ISO 3166-1: who issued it.
    document_country = models.CharField(max_length=2, blank=True)
    # The last day on which it counts; some have none.
    document_expires_on = models.DateField(null=True, blank=True, db_index=True)
    # When the player was told that it runs out soon.
    expiry_told_at = models.DateTimeField(null=True, blank=True)
    email_hash = models.CharField(max_length=64, blank=True, db_index=True)
    name_hash = models.CharField(max_length=64, blank=True, db_index=True)
    created_at = models.DateTimeField()
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(erased_at__isnull=True) | Q(**_BLANK), name="person_erased_is_blank"),
            models.CheckConstraint(
                condition=Q(document_type="", document_number_sealed="", document_hash="")
                | (~Q(document_type="") & ~Q(document_number_sealed="") & ~Q(document_hash="")),
                name="person_document_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"person {self.pk}"
