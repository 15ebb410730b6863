"""What the people of the demonstration bet, in their past and live. Pure: the chance comes from the caller."""

import random

from tables.roulette.cloth import SPOTS
from wallets.amounts import format_cents

Item = dict[str, object]

MINIMUM_CENTS = 50
CALL_BET_CHANCE = 0.55
SERIES_LIKED = ("voisins", "tiers", "orphelins")
# One reason each that the table does not take it: above the spot's maximum, above all limits, below the minimum.
STAKES_REFUSED = ("15.50", "999999.00", "0.10")


def slips_of_round(chance: random.Random, favourite: int) -> list[list[Item]]:
    """The slips of one player in one round: his number and what lies around it, and at times a call bet."""
    slips = [_slip_around(chance, favourite)]
    if chance.random() < CALL_BET_CHANCE:
        slips.append([_call_bet(chance, favourite)])
    return slips


def slip_to_refuse(chance: random.Random, favourite: int) -> list[Item]:
    """A slip that breaks a limit of the table."""
    return [{"type": "straight", "on": [favourite], "stake": chance.choice(STAKES_REFUSED)}]


def _slip_around(chance: random.Random, favourite: int) -> list[Item]:
    items: list[Item] = [
        {"type": "straight", "on": [favourite], "stake": format_cents(MINIMUM_CENTS * chance.randint(1, 4))}
    ]
    around = [spot for spot in SPOTS if favourite in spot.numbers and len(spot.numbers) > 1]
    for spot in chance.sample(around, k=chance.randint(2, 6)):
        items.append(
            {
                "type": str(spot.type),
                "on": list(spot.on),
                "stake": format_cents(MINIMUM_CENTS * chance.randint(1, 3)),
            }
        )
    return items


def _call_bet(chance: random.Random, favourite: int) -> Item:
    unit = format_cents(MINIMUM_CENTS)
    call = chance.choice((*SERIES_LIKED, "neighbours"))
    if call == "neighbours":
        return {"call": call, "number": favourite, "neighbours": chance.choice((2, 4)), "unit": unit}
    return {"call": call, "unit": unit}
