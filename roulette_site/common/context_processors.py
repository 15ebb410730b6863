"""What every page is given."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from .models import Operator


def operator(request: HttpRequest) -> dict[str, Any]:
    """Give every page the operator (none before the house is set up) and say whether this is the demonstration."""
    return {"operator": Operator.objects.first(), "demo_site": settings.DEMO_SITE}
