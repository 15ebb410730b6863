"""Who moves money between the outside world and the house: one interface, and the providers that there are. Pure."""

from .bank import BankTransfer
from .interface import Answer, Order, Outcome, Provider

__all__ = ("Answer", "BankTransfer", "Order", "Outcome", "Provider", "all_providers", "find_provider", "register")

_providers: dict[str, Provider] = {}


def register(provider: Provider) -> None:
    """Add a provider, or put another in the place of the one with its code."""
    _providers[provider.code] = provider


def find_provider(code: str) -> Provider | None:
    """The provider of that code; None where there is none."""
    return _providers.get(code)


def all_providers() -> tuple[Provider, ...]:
    """Every provider, in the order in which they were added."""
    return tuple(_providers.values())


register(BankTransfer())
