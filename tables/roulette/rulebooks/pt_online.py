"""Portugal, Regulation 807/2015 of the Gambling Commission, annex, rules 1 to 33: online French roulette.

Prizes: rule 14. Maxima: rule 12. Zero: rule 21. Call bets: rule 8. The operator's options: rules 8, 11, 13 and 16.
The order of payment is not stated: that of rule 14 is used.
"""

import datetime as dt

from tables.roulette.call_bets import CALL_BETS
from tables.roulette.cloth import SpotType
from tables.roulette.rulebook import LOST_AT_ZERO, Prize, Rulebook

RULEBOOK = Rulebook(
    code="pt-online",
    edition=dt.date(2015, 11, 26),
    title="Portuguese online French roulette",
    act="Regulation 807/2015, Gambling Commission",
    article="Annex, rules 1 to 33",
    publication="Diário da República, 2nd series, no. 232, 26 November 2015",
    in_force="on the day of entry into force of the regulation on the technical system for gambling (preamble 5)",
    lawful_sources=("drawn",),
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
        SpotType.STREET: 90,
        SpotType.CORNER: 120,
        SpotType.LINE: 180,
        SpotType.DOZEN: 360,
        SpotType.COLUMN: 360,
        SpotType.SPLIT_DOZEN: 720,
        SpotType.SPLIT_COLUMN: 720,
        SpotType.EVEN: 540,
        SpotType.ODD: 540,
        SpotType.LOW: 540,
        SpotType.HIGH: 540,
        SpotType.RED: 540,
        SpotType.BLACK: 540,
    },
    zero_rule=LOST_AT_ZERO,
    call_bets=CALL_BETS,
    options=(
        "split_dozens_offered",
        "split_columns_offered",
        "call_bets",
        "total_limit",
        "stake_step",
        "minimum",
        "lower_maxima",
        "betting_time",
    ),
    payment_order=(
        SpotType.STRAIGHT,
        SpotType.SPLIT,
        SpotType.STREET,
        SpotType.CORNER,
        SpotType.LINE,
        SpotType.DOZEN,
        SpotType.COLUMN,
        SpotType.SPLIT_DOZEN,
        SpotType.SPLIT_COLUMN,
        SpotType.EVEN,
        SpotType.ODD,
        SpotType.HIGH,
        SpotType.LOW,
        SpotType.RED,
        SpotType.BLACK,
    ),
)
RULEBOOKS = (RULEBOOK,)
