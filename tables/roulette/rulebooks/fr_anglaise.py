"""France, regulation of games in casinos, section 8, articles 57-10 to 57-12: roulette anglaise.

The text is the one of 1987 as it stands since the amendment of 1997, whose date is the edition's.
Combinations and zero: article 57-11 (half of an even-money stake goes back). Maxima: article 57-12. Order of payment:
article 57-10, player by player; it names no 24-number bets, which are placed after the dozens (reading 17).
"""

import datetime as dt

from tables.roulette.cloth import SpotType
from tables.roulette.rulebook import HALF_BACK_AT_ZERO, Prize, Rulebook

RULEBOOK = Rulebook(
    code="fr-anglaise",
    edition=dt.date(1997, 5, 9),
    title="Roulette anglaise",
    act="Arrêté du 26 août 1987, art. 2; arrêté du 9 mai 1997, art. 37",
    article="Articles 57-10 to 57-12",
    publication="Journal officiel de la République française",
    in_force="on a day that the text does not name; the operator enters it with its reference",
    lawful_sources=("dealt",),
    prizes={
        SpotType.STRAIGHT: Prize(35),
        SpotType.SPLIT: Prize(17),
        SpotType.STREET: Prize(11),
        SpotType.CORNER: Prize(8),
        SpotType.LINE: Prize(5),
        SpotType.DOZEN: Prize(2),
        SpotType.COLUMN: Prize(2),
        SpotType.SPLIT_DOZEN: Prize(1, 2),
        SpotType.SPLIT_COLUMN: Prize(1, 2),
        SpotType.EVEN: Prize(1),
        SpotType.ODD: Prize(1),
        SpotType.LOW: Prize(1),
        SpotType.HIGH: Prize(1),
        SpotType.RED: Prize(1),
        SpotType.BLACK: Prize(1),
    },
    maxima={
        SpotType.STRAIGHT: 20,
        SpotType.SPLIT: 40,
        SpotType.STREET: 60,
        SpotType.CORNER: 80,
        SpotType.LINE: 120,
        SpotType.DOZEN: 240,
        SpotType.COLUMN: 240,
        SpotType.SPLIT_DOZEN: 480,
        SpotType.SPLIT_COLUMN: 480,
        SpotType.EVEN: 360,
        SpotType.ODD: 360,
        SpotType.LOW: 360,
        SpotType.HIGH: 360,
        SpotType.RED: 360,
        SpotType.BLACK: 360,
    },
    zero_rule=HALF_BACK_AT_ZERO,
    call_bets=(),
    options=("stake_step", "chip_value"),
    payment_order=(
        SpotType.COLUMN,
        SpotType.HIGH,
        SpotType.ODD,
        SpotType.BLACK,
        SpotType.RED,
        SpotType.EVEN,
        SpotType.LOW,
        SpotType.DOZEN,
        SpotType.SPLIT_DOZEN,
        SpotType.SPLIT_COLUMN,
        SpotType.LINE,
        SpotType.STREET,
        SpotType.CORNER,
        SpotType.SPLIT,
        SpotType.STRAIGHT,
    ),
)
RULEBOOKS = (RULEBOOK,)
