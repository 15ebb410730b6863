from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from .audit import search_trail
from .audited_admin import AuditedAdmin
from .models import AuditEntry, AuditSeal, BookSeal, FourEyesRequest, Operator, RowChange
from .read_only_admin import ReadOnlyAdmin


@admin.register(Operator)
class OperatorAdmin(AuditedAdmin):
    trail_kind = "operator"
    audited_fields = (
        "legal_name", "brand", "licence", "accent_colour", "felt_colour", "time_zone", "gaming_day_starts_at",
    )  # fmt: skip
    list_display = ("brand", "legal_name", "licence", "time_zone", "gaming_day_starts_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is one operator."""
        return super().has_add_permission(request) and not Operator.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Operator | None = None) -> bool:
        """The house does not go away."""
        return False


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "actor", "act", "trail", "reason", "request_id")
    # No filter: listing the names of acts would read the whole trail. Searched by search_trail; the field is what makes
    # the page show its box.
    search_fields = ("=actor",)
    search_help_text = "A subject (player:12, or only its kind), an actor (staff:3), an act, or a request id."
    ordering = ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry], search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """Find by what indexes answer."""
        return (search_trail(queryset, search_term) if search_term.strip() else queryset), False

    @admin.display(description="subject", ordering="subject_kind")
    def trail(self, obj: AuditEntry) -> SafeString:
        """The subject, with the way to its whole trail."""
        address = reverse("staff:trail", args=[obj.subject_kind, obj.subject_id])
        return format_html('<a href="{}">{}</a>', address, obj.subject)


@admin.register(AuditSeal)
class AuditSealAdmin(ReadOnlyAdmin):
    list_display = ("sequence", "entry", "hash")
    list_select_related = ("entry",)
    ordering = ("-sequence",)


@admin.register(BookSeal)
class BookSealAdmin(ReadOnlyAdmin):
    list_display = ("sequence", "kind", "subject_id", "hash")
    search_fields = ("=kind", "=subject_id")
    ordering = ("-sequence",)


@admin.register(RowChange)
class RowChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "operation", "table_name", "row_key", "columns", "is_audited")
    search_fields = ("=table_name", "=row_key", "=act_key")
    ordering = ("-id",)

    @admin.display(description="audited", boolean=True)
    def is_audited(self, obj: RowChange) -> bool:
        """Whether the change was made by an act of the trail (`verify` also looks whether its entry is there)."""
        return bool(obj.act_key)


@admin.register(FourEyesRequest)
class FourEyesRequestAdmin(ReadOnlyAdmin):
    trail_kind = "request"
    list_display = ("id", "made_at", "act", "maker", "state", "decider", "decided_at")
    list_filter = ("state",)
    ordering = ("-id",)
