from .account import PLAYER_KINDS, SINGLE_KINDS, Account, AccountKind, Unit
from .account_snapshot import AccountSnapshot
from .api_key import ApiKey, Scope
from .cash_request import (
    CASH_STEPS,
    DONE_STATES,
    FINAL_STATES,
    FIRST_STATE,
    CashKind,
    CashRequest,
    CashState,
    CashStep,
)
from .consent import Consent, ConsentTo
from .exclusion import Exclusion, ExclusionEnd, ExclusionKind
from .finding import Finding, FindingKind, FindingStep, FindingStepKind
from .inbox import InboxKind, InboxMessage, InboxReading
from .limit import Limit, LimitKind, LimitPeriod, LimitSide, Loosening
from .login_record import Entrance, LoginRecord
from .person import DocumentType, Person
from .person_act import PersonAct, PersonActKind
from .player import KycState, Player, Standing
from .player_day import PlayerDay
from .provider_notice import QUIET_VERDICTS, NoticeOutcome, ProviderNotice, Verdict
from .standing import StandingChange, StandingField
from .transfer import Reason, Transfer
from .user import User

__all__ = (
    "CASH_STEPS",
    "DONE_STATES",
    "FINAL_STATES",
    "FIRST_STATE",
    "PLAYER_KINDS",
    "QUIET_VERDICTS",
    "SINGLE_KINDS",
    "Account",
    "AccountKind",
    "AccountSnapshot",
    "ApiKey",
    "CashKind",
    "CashRequest",
    "CashState",
    "CashStep",
    "Consent",
    "ConsentTo",
    "DocumentType",
    "Entrance",
    "Exclusion",
    "ExclusionEnd",
    "ExclusionKind",
    "Finding",
    "FindingKind",
    "FindingStep",
    "FindingStepKind",
    "InboxKind",
    "InboxMessage",
    "InboxReading",
    "KycState",
    "Limit",
    "LimitKind",
    "LimitPeriod",
    "LimitSide",
    "LoginRecord",
    "Loosening",
    "NoticeOutcome",
    "Person",
    "PersonAct",
    "PersonActKind",
    "Player",
    "PlayerDay",
    "ProviderNotice",
    "Reason",
    "Scope",
    "Standing",
    "StandingChange",
    "StandingField",
    "Transfer",
    "Unit",
    "User",
    "Verdict",
)
