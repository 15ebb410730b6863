"""What wagers, colours and call bets are called on pages, translated; the engine's own words are for machines."""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy as _in

from tables.roulette.call_bets import FINAL, NEIGHBOURS
from tables.roulette.cloth import Spot, SpotType
from tables.roulette.wheel import Colour

TYPE_NAMES = {
    SpotType.STRAIGHT: _("straight"),
    SpotType.SPLIT: _("split"),
    SpotType.STREET: _("street"),
    SpotType.CORNER: _("corner"),
    SpotType.LINE: _("line"),
    SpotType.DOZEN: _("dozen"),
    SpotType.COLUMN: _("column"),
    SpotType.SPLIT_DOZEN: _("split dozen"),
    SpotType.SPLIT_COLUMN: _("split column"),
    SpotType.EVEN: _in("wager", "even"),
    SpotType.ODD: _in("wager", "odd"),
    SpotType.LOW: _in("wager", "low"),
    SpotType.HIGH: _in("wager", "high"),
    SpotType.RED: _in("wager", "red"),
    SpotType.BLACK: _in("wager", "black"),
}
COLOUR_NAMES = {
    Colour.RED: _in("colour of a number", "red"),
    Colour.BLACK: _in("colour of a number", "black"),
    Colour.NONE: _in("colour of a number", "green"),
}
CALL_NAMES = {
    "voisins": _("voisins du zéro"),
    "tiers": _("tiers du cylindre"),
    "orphelins": _("orphelins"),
    "orphelins_en_plein": _("orphelins en plein"),
    NEIGHBOURS: _("neighbours"),
    FINAL: _("final"),
}
# On the racetrack, where there is little room.
SHORT_CALL_NAMES = {"voisins": _("Voisins"), "tiers": _("Tiers"), "orphelins": _("Orphelins")}


def spot_name(spot: Spot) -> str:
    """Say a spot as a croupier would: split 14–17, street 13–15, 2nd dozen, red."""  # noqa: RUF002
    wager = str(TYPE_NAMES[spot.type])
    return f"{wager} {places}" if (places := _places(spot)) else wager


def _places(spot: Spot) -> str:
    match spot.type:
        case SpotType.SPLIT_DOZEN | SpotType.DOZEN | SpotType.LOW | SpotType.HIGH:
            return f"{spot.numbers[0]}–{spot.numbers[-1]}"  # noqa: RUF001
        case SpotType.COLUMN | SpotType.SPLIT_COLUMN:
            # By the numbers at their foot, since nobody at a table counts columns.
            return "–".join(str(max(n for n in spot.numbers if n % 3 == place % 3)) for place in spot.on)  # noqa: RUF001
        case SpotType.STREET | SpotType.CORNER if 0 in spot.numbers:
            return "-".join(map(str, spot.on))
        case _ if spot.on:
            return f"{spot.on[0]}–{spot.on[-1]}" if len(spot.on) > 1 else str(spot.on[0])  # noqa: RUF001
    return ""


def call_name(name: str, parameters: Mapping[str, int] | None = None) -> str:
    """Say a call bet as it was announced: voisins du zéro, 17 and 4 neighbours, final 7."""
    known = parameters or {}
    if name == NEIGHBOURS and known:
        return gettext("%(number)s and %(neighbours)s neighbours") % known
    if name == FINAL and known:
        return f"{CALL_NAMES[FINAL]} {known['digit']}"
    return str(CALL_NAMES.get(name, name))


def colour_name(colour: str) -> str:
    """The colour of a number in words, since colour alone tells not everyone."""
    return str(COLOUR_NAMES[Colour(colour)])
