"""An id for every request, so that what it did can be found again in the audit trail and in other systems' logs."""

import re
import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

HEADER = "X-Request-ID"
# What a proxy or a caller may send: nothing that could break out of a log line or a header.
_SAFE = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")

_current = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The id of the request that is being answered; empty outside of one."""
    return _current.get()


def choose_request_id(sent: str | None) -> str:
    """The id that was sent, where it is a safe one, and a fresh one otherwise."""
    return sent if sent is not None and _SAFE.match(sent) else uuid.uuid4().hex


@sync_and_async_middleware
def request_id_middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]:
    """Give the request its id, and say it in the answer."""

    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            request_id = choose_request_id(request.headers.get(HEADER))
            token = _current.set(request_id)
            try:
                response: HttpResponseBase = await get_response(request)
            finally:
                _current.reset(token)
            response.headers[HEADER] = request_id
            return response

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        request_id = choose_request_id(request.headers.get(HEADER))
        token = _current.set(request_id)
        try:
            response = get_response(request)
        finally:
            _current.reset(token)
        response.headers[HEADER] = request_id  # type: ignore[union-attr]
        return response

    return answer
