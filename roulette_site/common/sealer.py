"""The sealer: what gives the audit trail and the books their seals, in the background."""

from .audit_chain import seal_entries
from .book_seals import seal_books


def seal_all(*, everything: bool = False) -> int:
    """Seal audit entries and what of the books has come to its end; return how many seals that were.

    With `everything` also what was written long ago, by a transaction that stayed open or while no sealer ran.
    """
    return seal_entries(everything=everything) + seal_books(everything=everything)
