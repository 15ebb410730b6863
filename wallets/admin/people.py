"""Who players are, their states, and what they were told."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from roulette_site.common.read_only_admin import ReadOnlyAdmin
from wallets.iban import IbanRefused
from wallets.models import (
    Consent,
    IdentityPaper,
    InboxMail,
    InboxMessage,
    InboxReading,
    LoginRecord,
    PayoutAddress,
    Person,
    PersonAct,
    Player,
    StandingChange,
)
from wallets.selectors.payout import find_by_iban
from wallets.selectors.people import find_by_document, find_by_email, find_duplicates


@admin.register(Person)
class PersonAdmin(ReadOnlyAdmin):
    """Hashes and the sealed number tell nobody anything, so they are not shown."""

    list_display = (
        "id",
        "user",
        "birth_date",
        "country",
        "language",
        "document_type",
        "document_expires_on",
        "erased_at",
    )
    list_filter = ("country", "document_type")
    list_select_related = ("user",)
    fields = (
        "user", "birth_date", "country", "language", "time_zone", "address", "document_type", "document_country",
        "document_expires_on", "expiry_told_at", "created_at", "erased_at", "doubles",
    )  # fmt: skip
    readonly_fields = ("doubles",)
    search_fields = ("user_id",)
    search_help_text = "The whole e-mail address, or the whole number of a document."

    @admin.display(description="same name and birth date, or same document")
    def doubles(self, person: Person) -> str:
        """Who may be the same person."""
        return ", ".join(f"person {one.pk}" for one in find_duplicates(person)) or "nobody"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Person], search_term: str
    ) -> tuple[QuerySet[Person], bool]:
        """Find by keyed hash alone: only who knows the whole address or number finds its owner."""
        if not search_term:
            return queryset, False
        found = {one.pk for one in (*find_by_email(search_term), *find_by_document(search_term))}
        return queryset.filter(pk__in=found), False


@admin.register(IdentityPaper)
class IdentityPaperAdmin(ReadOnlyAdmin):
    """That there are files; what is in them shows the page of those who check them."""

    list_display = ("id", "player", "media_type", "size_bytes", "sent_at", "checked_at", "removed_at")
    list_filter = ("media_type",)
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    exclude = ("stored_as",)
    ordering = ("-id",)


@admin.register(PayoutAddress)
class PayoutAddressAdmin(ReadOnlyAdmin):
    """The number itself is shown to nobody; who knows it finds who is paid out to it."""

    list_display = ("id", "player", "masked", "set_at", "erased_at")
    list_select_related = ("player",)
    fields = ("player", "masked", "set_at", "erased_at")
    search_fields = ("player_id",)
    search_help_text = "The whole IBAN."
    ordering = ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[PayoutAddress], search_term: str
    ) -> tuple[QuerySet[PayoutAddress], bool]:
        """Find by keyed hash alone."""
        if not search_term:
            return queryset, False
        try:
            return queryset.filter(pk__in=[one.pk for one in find_by_iban(search_term)]), False
        except IbanRefused:
            return queryset.none(), False


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ("id", "user_id", "text", "version", "at")
    list_filter = ("text", "version")
    ordering = ("-id",)


@admin.register(LoginRecord)
class LoginRecordAdmin(ReadOnlyAdmin):
    list_display = ("id", "user_id", "entrance", "at", "address", "browser", "ended_at")
    list_filter = ("entrance",)
    # Whoever has the key of a session is in it.
    exclude = ("session_key",)
    ordering = ("-id",)


@admin.register(PersonAct)
class PersonActAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "user_id", "actor", "reason", "at")
    list_filter = ("kind",)
    ordering = ("-id",)


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    list_display = ("handle", "kyc_state", "standing", "is_restricted", "is_test", "created_at", "desk")
    list_filter = ("kyc_state", "standing", "is_restricted", "is_test")
    trail_kind = "player"
    search_fields = ("handle",)

    @admin.display(description="acts")
    def desk(self, player: Player) -> str:
        """Where staff act on a player."""
        return format_html('<a href="{}">Open</a>', reverse("staff-player", args=[player.pk]))


@admin.register(StandingChange)
class StandingChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "field", "before", "after", "reason", "actor", "second_actor", "changed_at")
    list_filter = ("field", "after")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(InboxMessage)
class InboxMessageAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "kind", "told_at")
    list_filter = ("kind",)
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(InboxReading)
class InboxReadingAdmin(ReadOnlyAdmin):
    list_display = ("message_id", "read_at")
    ordering = ("-message_id",)


@admin.register(InboxMail)
class InboxMailAdmin(ReadOnlyAdmin):
    list_display = ("message_id", "begun_at", "sent_at")
    ordering = ("-message_id",)
