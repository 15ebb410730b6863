"""Errors of the API in one shape: problem details (RFC 9457) with a stable `code`."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import page_not_found
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from .errors import RuleBroken
from .models import Operator

MEDIA_TYPE = "application/problem+json"


class ProblemOutput(serializers.Serializer):
    """A problem as the API's schema describes it; a refused slip names every breach."""

    type = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField(required=False)
    breaches = serializers.ListField(child=serializers.DictField(), required=False)
    balance = serializers.CharField(required=False, help_text="what there is; like every amount, text")
    left = serializers.CharField(required=False, help_text="what a limit or an earlier act leaves")
    cap = serializers.CharField(required=False, help_text="the most that is possible")
    owed = serializers.CharField(required=False, help_text="what is owed")


def problems(*statuses: int) -> dict[tuple[int, str], type[ProblemOutput]]:
    """The schema's responses for the statuses that a view may refuse with."""
    return dict.fromkeys(((one, MEDIA_TYPE) for one in statuses), ProblemOutput)


def problem(http_status: int, code: str, title: str, **more: Any) -> Response:
    """Answer with a problem; `more` holds what a program needs to act on it (breaches, limits)."""
    return Response(
        {"type": "about:blank", "status": http_status, "code": code, "title": title, **more},
        status=http_status,
        content_type=MEDIA_TYPE,
    )


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn a named refusal or one of the framework's into a problem; anything else is a fault of ours (500)."""
    if isinstance(error, RuleBroken):
        return problem(error.http_status, error.code, error.message, **error.written_details)
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, RequestDataTooBig):
        return problem(413, "request_too_large", "The request is too large.")
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    if isinstance(error, exceptions.ValidationError):
        return problem(error.status_code, "invalid_request", "The request has another shape.", errors=error.detail)
    answer = problem(error.status_code, str(error.get_codes()), str(error.detail))
    if error.status_code == 401 and (scheme := getattr(error, "auth_header", None)):
        answer["WWW-Authenticate"] = scheme
    if (wait := getattr(error, "wait", None)) is not None:
        answer["Retry-After"] = str(int(wait) + 1)
    return answer


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what cannot be read as a request: a problem under /api/, a page elsewhere (the site's handler400)."""
    if isinstance(exception, RequestDataTooBig):
        if _is_api(request):
            return _plain_problem(413, "request_too_large", "The request is too large.")
        return render(request, "400.html", {"is_too_large": True}, status=413)
    if _is_api(request):
        return _plain_problem(400, "bad_request", "The request cannot be read.")
    return render(request, "400.html", status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an unknown address: a problem under /api/, a page elsewhere (the site's handler404)."""
    if _is_api(request):
        return _plain_problem(404, "not_found", "There is no such address.")
    return page_not_found(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """Answer a fault of ours: a problem under /api/, a page elsewhere (the site's handler500)."""
    if _is_api(request):
        return _plain_problem(500, "internal_error", "Something broke on our side.")
    # The database may be what broke, so no context processor runs: what the page names must come without a fault.
    try:
        operator = Operator.objects.first()
    except DatabaseError:
        operator = None
    return HttpResponse(render_to_string("500.html", {"operator": operator}), status=500)


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _plain_problem(http_status: int, code: str, title: str) -> HttpResponse:
    body = {"type": "about:blank", "status": http_status, "code": code, "title": title}
    return JsonResponse(body, status=http_status, content_type=MEDIA_TYPE)
