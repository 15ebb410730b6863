"""Serving static files from the process that makes the pages."""

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, which under ASGI answers in one piece: a file that is read bit by bit makes Django warn each time."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        """Answer with the file; those of this site are small."""
        streamed: HttpResponseBase = WhiteNoiseMiddleware.serve(static_file, request)
        if not isinstance(request, ASGIRequest):
            return streamed
        whole = HttpResponse(b"".join(streamed), status=streamed.status_code)
        del whole["Content-Type"]
        for name, value in streamed.items():
            whole[name] = value
        streamed.close()
        return whole
