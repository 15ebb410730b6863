"""Whether a request comes from somebody who may do what is possible in the demonstration alone."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def is_open(request: HttpRequest) -> bool:
    """Whether this is the demonstration, on this machine, never with DEBUG off, and asked from this machine."""
    if not settings.DEMO_SITE or not settings.LOCAL:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
