from django.contrib import admin
from django.http import HttpRequest

from .models import Operator


@admin.register(Operator)
class OperatorAdmin(admin.ModelAdmin):
    list_display = ("brand", "legal_name", "licence", "time_zone", "gaming_day_starts_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is one operator."""
        return super().has_add_permission(request) and not Operator.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Operator | None = None) -> bool:
        """The house does not go away."""
        return False
