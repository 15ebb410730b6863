"""What a player is told of a slip that was refused: which bet it is about, and why."""

from collections.abc import Mapping
from typing import Any

from tables.roulette.cloth import InvalidSpot, find_spot
from tables.services.betting import SlipRefused
from tables.web.names import CALL_NAMES, call_name, spot_name
from wallets.templatetags.money import amount


def sentences_of(refused: SlipRefused) -> list[str]:
    """A sentence for each breach, each said once; where the slip has several bets, with the bet's name before it."""
    said: dict[str, None] = {}
    for one in refused.explained:
        index, message = one.breach["bet"], one.sentence.written(amount)
        name = "" if index is None or len(refused.items) < 2 else _name_of(refused.items[index])
        said[f"{name[:1].upper()}{name[1:]}: {message}" if name else message] = None
    return list(said)


def _name_of(item: Any) -> str:
    """What the player would call the bet; nothing where it is none."""
    if not isinstance(item, Mapping):
        return ""
    call = item.get("call")
    if isinstance(call, str):
        return call_name(call) if call in CALL_NAMES else ""
    wager, on = item.get("type"), item.get("on", [])
    try:
        return spot_name(find_spot(wager, [on] if type(on) is int else on))
    except (InvalidSpot, TypeError):
        return ""
