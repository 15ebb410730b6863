"""Holding the books inside a test's own transaction, where `verify` itself cannot begin its snapshot."""

from wallets.selectors.verification import CHECKS


def hold_books(*names: str) -> None:
    """Run the ledger's checks, all or those named, and find nothing."""
    assert not set(names) - {check.name for check in CHECKS}
    for check in CHECKS:
        if not names or check.name in names:
            assert list(check.find()) == [], check.name
