from .game_session import EndBasis, GameSession

__all__ = ("EndBasis", "GameSession")
