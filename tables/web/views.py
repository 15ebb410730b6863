"""The public pages of the rules: permanent and free (preamble 4)."""

from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from tables.models import PublishedRules


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """Every version that was ever published."""
    published = PublishedRules.objects.select_related("rules").order_by("rules__rulebook_code", "-rules__version")
    return render(request, "tables/rules_index.html", {"published": published})


@require_safe
def rules_version(request: HttpRequest, code: str, version: int) -> HttpResponse:
    """One version, as it was rendered when it was published."""
    published = get_object_or_404(
        PublishedRules.objects.select_related("rules"), rules__rulebook_code=code, rules__version=version
    )
    return render(request, "tables/rules_version.html", {"published": published})


@require_safe
def verify_round(request: HttpRequest) -> HttpResponse:
    """The program with which anybody recomputes a round from its receipt, as it stands in docs/."""
    program = Path(settings.BASE_DIR) / "docs" / "verify_round.py"
    return HttpResponse(
        program.read_bytes(),
        content_type="text/x-python; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{program.name}"'},
    )
