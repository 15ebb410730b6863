"""What a key may do."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from wallets.models import ApiKey


class HasScope(BasePermission):
    """The call carries a key that has the view's `required_scope`."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Say whether there is a key and it allows what the view does."""
        return isinstance(request.auth, ApiKey) and view.required_scope in request.auth.scopes
