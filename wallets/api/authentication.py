"""Who calls the API: another system with a key."""

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework_api_key.permissions import KeyParser

from wallets.models import ApiKey


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Api-Key ...`; the key is then at `request.auth`, and there is no user."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiKey] | None:
        """Return the key; None without one, AuthenticationFailed where it is wrong, revoked or past its time."""
        secret = KeyParser().get(request)
        if not secret:
            return None
        if not secret.isascii() or not ApiKey.objects.is_valid(secret):
            raise AuthenticationFailed("The API key is not valid.", code="not_authenticated")
        key = ApiKey.objects.get_from_key(secret)
        assert isinstance(key, ApiKey), "the manager above says so"
        return AnonymousUser(), key

    def authenticate_header(self, request: Request) -> str:
        """What a call without a key is told to bring."""
        return "Api-Key"


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The key as the API's schema describes it."""

    target_class = ApiKeyAuthentication
    name = "ApiKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """A header."""
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "Api-Key <key>"}
