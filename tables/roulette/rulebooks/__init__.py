"""The rulebooks that this software knows. A new one is a new file here with RULEBOOKS in it; nothing else changes."""

import datetime as dt
import importlib
import pkgutil
from functools import lru_cache
from typing import NamedTuple

from tables.roulette.rulebook import Rulebook, RulebookInvalid


class UnknownRulebook(LookupError):
    """No rulebook has that code, or none of its editions that date."""


class _Known(NamedTuple):
    editions: dict[tuple[str, dt.date], Rulebook]
    latest: dict[str, Rulebook]


@lru_cache(maxsize=1)
def _known() -> _Known:
    found: dict[tuple[str, dt.date], Rulebook] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        for rulebook in importlib.import_module(f"{__name__}.{module.name}").RULEBOOKS:
            if (rulebook.code, rulebook.edition) in found:
                raise RulebookInvalid(f"There are two editions of {rulebook.code} of {rulebook.edition}.")
            found[rulebook.code, rulebook.edition] = rulebook
    return _Known(found, {code: rulebook for (code, _), rulebook in sorted(found.items())})


def all_rulebooks() -> tuple[Rulebook, ...]:
    """Return the latest edition of each rulebook."""
    return tuple(_known().latest.values())


def find_rulebook(code: str, edition: dt.date | None = None) -> Rulebook:
    """Return the rulebook of that code, in that edition or else the latest; raises UnknownRulebook."""
    found = _known().latest.get(code) if edition is None else _known().editions.get((code, edition))
    if found is not None:
        return found
    raise UnknownRulebook(f"There is no rulebook {code!r}{f' of {edition}' if edition else ''}.")
