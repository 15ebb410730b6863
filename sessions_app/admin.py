from django.contrib import admin

from roulette_site.common.read_only_admin import ReadOnlyAdmin

from .models import GameSession, RealityCheck


@admin.register(GameSession)
class GameSessionAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "seat", "started_at", "ended_at", "end_basis")
    list_filter = ("end_basis",)
    list_select_related = ("player", "seat")
    search_fields = ("player__handle",)
    ordering = ("-id",)


@admin.register(RealityCheck)
class RealityCheckAdmin(ReadOnlyAdmin):
    list_display = ("id", "game_session", "due_at", "acknowledged_at")
    list_select_related = ("game_session",)
    ordering = ("-id",)
