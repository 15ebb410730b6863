"""/demo/: become anyone with one button. On this machine only, and never with DEBUG off."""

from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from roulette_site.common.entrances import go_to_staff_entrance
from sessions_app.demo.personas import PERSONAS, PLAYERS, STAFF
from wallets.models import User

_BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_http_methods(["GET", "POST"])
def demo(request: HttpRequest) -> HttpResponse:
    """Show the people of the demonstration; POST logs in as one of them."""
    if not settings.DEMO_SITE or not settings.LOCAL or not _is_local(request):
        raise Http404("There is no demonstration here.")
    if request.method == "POST":
        persona = next((one for one in PERSONAS if one.email == request.POST.get("email")), None)
        if persona is None:
            raise Http404("There is no such persona.")
        user = get_object_or_404(User, email=persona.email)
        if persona.is_staff:
            go_to_staff_entrance(request)
        login(request, user, backend=_BACKEND)
        return redirect("admin:index" if persona.is_staff else "lobby")
    return render(request, "sessions_app/demo.html", {"players": PLAYERS, "staff": STAFF})


def _is_local(request: HttpRequest) -> bool:
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
