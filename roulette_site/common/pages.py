"""Pages that belong to no app: the operator's colours, and whether the site is alive and ready."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from . import guards
from .audit_checks import find_unsealed
from .book_checks import find_waiting
from .models import Operator
from .sql import database_now


@require_safe
def brand_css(request: HttpRequest) -> HttpResponse:
    """The operator's two colours as a stylesheet, since pages may hold no style of their own."""
    operator = Operator.objects.first()
    rule = "" if operator is None else f":root{{--accent:{operator.accent_colour};--felt:{operator.felt_colour}}}"
    answer = HttpResponse(rule, content_type="text/css; charset=utf-8")
    answer["Cache-Control"] = "max-age=300"
    return answer


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process is alive."""
    return HttpResponse("alive", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """The site can serve: its database answers and holds what it ought to hold; 503 with the reasons otherwise.

    What is wrong and keeps nobody from playing stands under `degraded`.
    """
    try:
        missing = guards.find_missing(connection)
        degraded = [] if missing else _waiting_for_a_seal()
    except DatabaseError:
        return JsonResponse({"ready": False, "reasons": ["the database does not answer"]}, status=503)
    reasons = [f"the guard {name} does not stand" for name in missing]
    said = {"ready": not reasons, "reasons": reasons, "degraded": degraded}
    return JsonResponse(said, status=503 if reasons else 200)


def _waiting_for_a_seal() -> list[str]:
    now = database_now()
    return [*find_unsealed(at=now, everything=False), *find_waiting(at=now, everything=False)]
