import datetime as dt
from dataclasses import dataclass

from wallets.protection import PlayerCalendar


@dataclass(frozen=True)
class NewBet:
    """One bet of a slip: the spot's index, the stake, the most a player may have there, the call it is a part of."""

    spot: int
    stake_cents: int
    maximum_cents: int
    call_ordinal: int | None = None


@dataclass(frozen=True)
class NewCall:
    """A call bet as announced, to be kept beside its parts; `parameters` is JSON text."""

    name: str
    parameters: str
    unit_cents: int


@dataclass(frozen=True)
class NewSlip:
    """What is to be placed, with every limit that the engine computed.

    `at` is None in the running system: the database's own clock then decides whether the slip is in time. A moved clock
    is for the demonstration's past and for tests. `deadline_seconds` is set on an individual table, where the first bet
    sets the round's deadline. `calendar` is the player's own, which his limits run on; play units have none.
    """

    key: str
    body_hash: str
    game_round_id: int
    seat_id: int
    account_id: int
    in_play_id: int
    unit: str
    actor: str
    bets: tuple[NewBet, ...]
    calls: tuple[NewCall, ...] = ()
    total_limit_cents: int | None = None
    deadline_seconds: int | None = None
    at: dt.datetime | None = None
    calendar: PlayerCalendar | None = None

    @property
    def total_cents(self) -> int:
        return sum(bet.stake_cents for bet in self.bets)


@dataclass(frozen=True)
class Placed:
    """The answer: the slip placed now or, for a key spent before, the first slip with its body and seat.

    A breach is "word" or "word:number" or "above_maximum:spot:room", amounts in cents. First come those of the table,
    then what keeps the player from it, then those of money.
    """

    slip_id: int | None
    first_body_hash: str | None
    first_seat_id: int | None
    balance_cents: int
    replayed: bool
    breaches: tuple[str, ...]
