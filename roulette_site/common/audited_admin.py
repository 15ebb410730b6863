"""The admin page of rows that staff do edit: every change there is an entry of the audit trail."""

from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from .audit import actor_of, audited, facts_of, record
from .trail_link import TrailLink


class AuditedAdmin(TrailLink):
    """What is added, changed or deleted here is recorded in the same transaction, with what stood there before.

    `trail_kind` names such a row as a subject of the trail; `audited_fields` are those that the trail may hold, none of
    them personal.
    """

    audited_fields: ClassVar[tuple[str, ...]]

    def audited_facts(self, obj: Model) -> dict[str, Any]:
        """What the trail keeps of the row."""
        return facts_of(obj, *self.audited_fields)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show the form, or take it, under the audit trail."""
        if request.method != "POST":
            return super().changeform_view(request, object_id, form_url, extra_context)
        with audited():
            standing = self.get_object(request, object_id) if object_id else None
            request.audited_before = None if standing is None else self.audited_facts(standing)  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Record what was added."""
        self._record(request, obj, "added", None, self.audited_facts(obj))
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Record what was changed; called once all of the form is saved."""
        before = getattr(request, "audited_before", None)
        self._record(request, obj, "changed", before, self.audited_facts(type(obj)._default_manager.get(pk=obj.pk)))
        return super().log_change(request, obj, message)

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        """Delete a row, and say so."""
        with audited():
            self._record(request, obj, "deleted", self.audited_facts(obj), None)
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Delete rows, and say so of each."""
        with audited():
            for obj in queryset:
                self._record(request, obj, "deleted", self.audited_facts(obj), None)
            super().delete_queryset(request, queryset)

    def _record(self, request: HttpRequest, obj: Model, what: str, before: Any, after: Any) -> None:
        record(
            act=f"{self.trail_kind}_{what}",
            actor=actor_of(request.user),
            subject=(self.trail_kind, obj.pk),
            before=before,
            after=after,
            at=timezone.now(),
        )
