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
from .finding import Finding, FindingKind, FindingStep, FindingStepKind
from .player import Player
from .provider_notice import QUIET_VERDICTS, NoticeOutcome, ProviderNotice, Verdict
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
    "Finding",
    "FindingKind",
    "FindingStep",
    "FindingStepKind",
    "NoticeOutcome",
    "Player",
    "ProviderNotice",
    "Reason",
    "Scope",
    "Transfer",
    "Unit",
    "User",
    "Verdict",
)
