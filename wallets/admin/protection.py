"""What protects players: limits, exclusions, registers."""

from django.contrib import admin

from roulette_site.common.read_only_admin import ReadOnlyAdmin
from wallets.models import (
    Exclusion,
    ExclusionEnd,
    Limit,
    LimitsOffer,
    Loosening,
    RegisterCheck,
    RestrictedEntry,
)


@admin.register(Limit)
class LimitAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "side", "kind", "period", "value", "actor", "second_actor", "set_at")
    list_filter = ("side", "kind", "period")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(LimitsOffer)
class LimitsOfferAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "occasion", "limits_set", "answered_at")
    list_filter = ("occasion",)
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(Loosening)
class LooseningAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "kind", "period", "value", "asked_at", "confirmable_at", "lapses_at")
    list_filter = ("kind", "period")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "kind", "term", "starts_at", "ends_at", "actor")
    list_filter = ("kind", "term")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(ExclusionEnd)
class ExclusionEndAdmin(ReadOnlyAdmin):
    list_display = ("exclusion", "asked_at", "ends_at", "actor", "second_actor")
    search_fields = ("exclusion__player__handle",)
    list_select_related = ("exclusion",)
    ordering = ("-asked_at", "-exclusion_id")


@admin.register(RegisterCheck)
class RegisterCheckAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "asked_at", "occasion", "register", "answer", "good_until", "batch")
    list_filter = ("answer", "occasion", "register")
    search_fields = ("player__handle", "batch")
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(RestrictedEntry)
class RestrictedEntryAdmin(ReadOnlyAdmin):
    """Hashes tell nobody anything, so they are not shown."""

    trail_kind = "restricted_entry"
    list_display = ("id", "kind", "starts_at", "ends_at", "actor", "ended_at")
    list_filter = ("kind",)
    exclude = ("document_hash", "email_hash")
    ordering = ("-id",)
