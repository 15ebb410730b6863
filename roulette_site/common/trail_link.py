"""The way from an admin page of an object to its audit trail."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse


class TrailLink(admin.ModelAdmin):
    """`trail_kind` names such a row as a subject of the trail; without it there is no link."""

    trail_kind: ClassVar[str] = ""

    def trail_id(self, obj: Model) -> object:
        """What the trail names the row by."""
        return obj.pk

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show the row, with the way to its trail for who may read that."""
        context = dict(extra_context or {})
        if self.trail_kind and object_id and request.user.has_perm("common.view_auditentry"):
            obj = self.get_object(request, object_id)
            if obj is not None:
                context["trail_url"] = reverse("staff:trail", args=[self.trail_kind, self.trail_id(obj)])
        return super().changeform_view(request, object_id, form_url, context)
