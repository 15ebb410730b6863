"""In which language a player's amounts are written and typed: his own, whatever language the page around them has."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import cache

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import get_language

from wallets.models import Person

# Asked only by a page that shows an amount.
_asked: ContextVar[Callable[[], str] | None] = ContextVar("language_of_amounts", default=None)


def language_of_amounts() -> str:
    """The language of the player who asks, as he chose it; without one that of the page."""
    asked = _asked.get()
    return (asked() if asked is not None else "") or get_language() or "en"


class LanguageOfAmountsMiddleware(MiddlewareMixin):
    """Remembers whose page it is, for those that show amounts."""

    def process_request(self, request: HttpRequest) -> None:
        """Set who is asked."""

        @cache
        def chosen() -> str:
            user = getattr(request, "user", None)
            if user is None or not user.is_authenticated or getattr(request, "is_staff_entrance", False):
                return ""
            return Person.objects.filter(user_id=user.pk).values_list("language", flat=True).first() or ""

        _asked.set(chosen)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Forget it again."""
        _asked.set(None)
        return response
