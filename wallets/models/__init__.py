from .account import Account, AccountKind, Unit
from .api_key import ApiKey, Scope
from .consent import Consent, ConsentTo
from .login_record import Entrance, LoginRecord
from .person import DocumentType, Person
from .person_act import PersonAct, PersonActKind
from .player import Player
from .transfer import Reason, Transfer
from .user import User

__all__ = (
    "Account",
    "AccountKind",
    "ApiKey",
    "Consent",
    "ConsentTo",
    "DocumentType",
    "Entrance",
    "LoginRecord",
    "Person",
    "PersonAct",
    "PersonActKind",
    "Player",
    "Reason",
    "Scope",
    "Transfer",
    "Unit",
    "User",
)
