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
from .decided_transfer import DecidedAct, DecidedTransfer
from .exclusion import Exclusion, ExclusionEnd, ExclusionKind
from .finding import Finding, FindingKind, FindingStep, FindingStepKind
from .identity_paper import IdentityPaper, MediaType
from .inbox import InboxKind, InboxMessage, InboxReading
from .inbox_mail import InboxMail
from .limit import COUNTS_TIME, Limit, LimitKind, LimitPeriod, LimitSide, Loosening
from .limits_offer import LimitsOffer, OfferOccasion
from .login_record import Entrance, LoginRecord
from .payout_address import PayoutAddress
from .person import DocumentType, Person
from .person_act import PersonAct, PersonActKind
from .player import KycState, Player, Standing
from .player_day import PlayerDay
from .provider_notice import QUIET_VERDICTS, NoticeOutcome, ProviderNotice, Verdict
from .register_check import DEFINITE_ANSWERS, RegisterAnswer, RegisterCheck, RegisterOccasion
from .restricted_entry import RestrictedEntry, RestrictedKind
from .standing import StandingChange, StandingField
from .transfer import Reason, Transfer
from .user import User

__all__ = (
    "CASH_STEPS",
    "COUNTS_TIME",
    "DEFINITE_ANSWERS",
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
    "DecidedAct",
    "DecidedTransfer",
    "DocumentType",
    "Entrance",
    "Exclusion",
    "ExclusionEnd",
    "ExclusionKind",
    "Finding",
    "FindingKind",
    "FindingStep",
    "FindingStepKind",
    "IdentityPaper",
    "InboxKind",
    "InboxMail",
    "InboxMessage",
    "InboxReading",
    "KycState",
    "Limit",
    "LimitKind",
    "LimitPeriod",
    "LimitSide",
    "LimitsOffer",
    "LoginRecord",
    "Loosening",
    "MediaType",
    "NoticeOutcome",
    "OfferOccasion",
    "PayoutAddress",
    "Person",
    "PersonAct",
    "PersonActKind",
    "Player",
    "PlayerDay",
    "ProviderNotice",
    "Reason",
    "RegisterAnswer",
    "RegisterCheck",
    "RegisterOccasion",
    "RestrictedEntry",
    "RestrictedKind",
    "Scope",
    "Standing",
    "StandingChange",
    "StandingField",
    "Transfer",
    "Unit",
    "User",
    "Verdict",
)
