"""Who may call the API."""

from typing import Any

from django.http import HttpRequest
from rest_framework_api_key.permissions import BaseHasAPIKey

from wallets.models import ApiKey


class HasApiKey(BaseHasAPIKey):
    """The request carries a valid key (`Authorization: Api-Key ...`) that has the view's `required_scope`."""

    model = ApiKey

    def has_permission(self, request: HttpRequest, view: Any) -> bool:
        """Say whether the key is valid and allows what the view does; the key is then at `request.auth`."""
        if not super().has_permission(request, view):
            return False
        key = self.model.objects.get_from_key(self.get_key(request) or "")
        assert isinstance(key, ApiKey), "the model above says so"
        request.auth = key  # type: ignore[attr-defined]
        scope = getattr(view, "required_scope", None)
        return scope is None or scope in key.scopes
