from .operator import Operator

__all__ = ("Operator",)
