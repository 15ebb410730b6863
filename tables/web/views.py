"""The public pages of the rules: permanent and free (preamble 4)."""

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
