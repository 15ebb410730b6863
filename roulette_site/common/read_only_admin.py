"""The admin page of rows that are looked at and never edited there."""

from django.db.models import Model
from django.http import HttpRequest

from .trail_link import TrailLink


class ReadOnlyAdmin(TrailLink):
    """Nothing is added, changed or deleted here, not even by superusers: money moves through services alone."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """No."""
        return False

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """Find the row; a number that no key can have is found nowhere, and SQLite would break off over it."""
        try:
            return super().get_object(request, object_id, from_field)
        except OverflowError:
            return None
