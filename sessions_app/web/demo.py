"""/demo/: become anyone with one button. On this machine only, and never with DEBUG off."""

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from roulette_site.common import demonstration
from roulette_site.common.demo_mail import shown_mails
from roulette_site.common.entrances import go_to_staff_entrance
from sessions_app.demo.personas import PERSONAS, PLAYERS, STAFF
from wallets.models import User
from wallets.web.second_factor import BACKEND, mark_second_factor


@require_http_methods(["GET", "POST"])
def demo(request: HttpRequest) -> HttpResponse:
    """Show the people of the demonstration; POST logs in as one of them."""
    if not demonstration.is_open(request):
        raise Http404("There is no demonstration here.")
    if request.method == "POST":
        persona = next((one for one in PERSONAS if one.email == request.POST.get("email")), None)
        if persona is None:
            raise Http404("There is no such persona.")
        user = get_object_or_404(User, email=persona.email)
        if persona.is_staff:
            go_to_staff_entrance(request)
        login(request, user, backend=BACKEND)
        # The button counts as the second factor too.
        mark_second_factor(request, user)
        return redirect("admin:index" if persona.is_staff else "lobby")
    return render(request, "sessions_app/demo.html", {"players": PLAYERS, "staff": STAFF})


@require_safe
@never_cache
def demo_mail(request: HttpRequest) -> HttpResponse:
    """Show the mail that would have been sent."""
    if not demonstration.is_open(request):
        raise Http404("There is no demonstration here.")
    return render(request, "sessions_app/demo_mail.html", {"mails": shown_mails()})
