from .bet import Bet, Slip, SlipCall, SlipWithdrawal
from .event import EventKind, RoundEvent
from .game_round import FINISHED, UNFINISHED, GameRound, RoundState
from .outcome import BetOutcome, OutcomeKind, RoundTotals
from .seat import Seat
from .seed import RoundDraw, RoundSeed
from .specific_rules import PublishedRules, RulesStatus, RulesTelling, SpecificRules
from .table import NumberSource, Table, TableKind, TableState

__all__ = (
    "FINISHED",
    "UNFINISHED",
    "Bet",
    "BetOutcome",
    "EventKind",
    "GameRound",
    "NumberSource",
    "OutcomeKind",
    "PublishedRules",
    "RoundDraw",
    "RoundEvent",
    "RoundSeed",
    "RoundState",
    "RoundTotals",
    "RulesStatus",
    "RulesTelling",
    "Seat",
    "Slip",
    "SlipCall",
    "SlipWithdrawal",
    "SpecificRules",
    "Table",
    "TableKind",
    "TableState",
)
