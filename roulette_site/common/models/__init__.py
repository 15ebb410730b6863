from .audit import ActInHand, AuditEntry, AuditSeal, RowChange
from .four_eyes import FourEyesRequest, RequestState
from .operator import Operator

__all__ = ("ActInHand", "AuditEntry", "AuditSeal", "FourEyesRequest", "Operator", "RequestState", "RowChange")
