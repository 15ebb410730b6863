from .game_session import EndBasis, GameSession
from .reality_check import RealityCheck

__all__ = ("EndBasis", "GameSession", "RealityCheck")
