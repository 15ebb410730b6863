from .account import Account, AccountKind, Unit
from .api_key import ApiKey, Scope
from .player import Player
from .transfer import Reason, Transfer
from .user import User

__all__ = ("Account", "AccountKind", "ApiKey", "Player", "Reason", "Scope", "Transfer", "Unit", "User")
