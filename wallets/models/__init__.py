from .account import Account, AccountKind, Unit
from .api_key import ApiKey, Scope
from .exclusion import Exclusion, ExclusionEnd, ExclusionKind
from .limit import Limit, LimitKind, LimitPeriod, LimitSide, Loosening
from .player import KycState, Player, Standing
from .player_day import PlayerDay
from .standing import StandingChange, StandingField
from .transfer import Reason, Transfer
from .user import User

__all__ = (
    "Account",
    "AccountKind",
    "ApiKey",
    "Exclusion",
    "ExclusionEnd",
    "ExclusionKind",
    "KycState",
    "Limit",
    "LimitKind",
    "LimitPeriod",
    "LimitSide",
    "Loosening",
    "Player",
    "PlayerDay",
    "Reason",
    "Scope",
    "Standing",
    "StandingChange",
    "StandingField",
    "Transfer",
    "Unit",
    "User",
)
