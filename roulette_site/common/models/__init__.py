from .audit import ActInHand, AuditEntry, AuditSeal, BookSeal, RowChange
from .four_eyes import FourEyesRequest, RequestState
from .operator import Operator

__all__ = (
    "ActInHand",
    "AuditEntry",
    "AuditSeal",
    "BookSeal",
    "FourEyesRequest",
    "Operator",
    "RequestState",
    "RowChange",
)
