"""France, regulation of games in casinos: roulette française (running of the game, combinations, maxima and minima).

At zero the player chooses: half of an even-money stake back, or all of it in prison, again at each zero. The order of
payment names no lines and no 24-number bets: lines are placed with the streets, double twelves with the twelves
(reading 17).
"""

import datetime as dt

from tables.roulette.cloth import SpotType
from tables.roulette.rulebook import CHOICE_AT_ZERO, Prize, Rulebook

RULEBOOK = Rulebook(
    code="fr-francaise",
    edition=dt.date(2007, 5, 14),
    title="Roulette française",
    act="Arrêté du 14 mai 2007 relatif à la réglementation des jeux dans les casinos",
    article="Roulette française",
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
        SpotType.STRAIGHT: 30,
        SpotType.SPLIT: 60,
        SpotType.STREET: 100,
        SpotType.CORNER: 120,
        SpotType.LINE: 200,
        SpotType.DOZEN: 500,
        SpotType.COLUMN: 500,
        SpotType.SPLIT_DOZEN: 2000,
        SpotType.SPLIT_COLUMN: 2000,
        SpotType.EVEN: 1000,
        SpotType.ODD: 1000,
        SpotType.LOW: 1000,
        SpotType.HIGH: 1000,
        SpotType.RED: 1000,
        SpotType.BLACK: 1000,
    },
    zero_rule=CHOICE_AT_ZERO,
    call_bets=(),
    options=("stake_step", "minimum_at_opening"),
    payment_order=(
        SpotType.COLUMN,
        SpotType.SPLIT_COLUMN,
        SpotType.DOZEN,
        SpotType.SPLIT_DOZEN,
        SpotType.RED,
        SpotType.BLACK,
        SpotType.ODD,
        SpotType.EVEN,
        SpotType.HIGH,
        SpotType.LOW,
        SpotType.STREET,
        SpotType.LINE,
        SpotType.CORNER,
        SpotType.SPLIT,
        SpotType.STRAIGHT,
    ),
)
RULEBOOKS = (RULEBOOK,)
