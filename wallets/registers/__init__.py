"""Who keeps a register of excluded people: one interface, and the adapters that there are. Pure.

The register of files is made where its path is known (wallets/services/register_asking.py); others are added here.
"""

from .file import FileRegister
from .interface import Answer, Register, RegisterState, Reply, Subject

__all__ = ("Answer", "FileRegister", "Register", "RegisterState", "Reply", "Subject", "find_register", "register")

_registers: dict[str, Register] = {}


def register(one: Register) -> None:
    """Add a register, or put another in the place of the one with its code."""
    _registers[one.code] = one


def find_register(code: str) -> Register | None:
    """The register of that code; None where there is none."""
    return _registers.get(code)
