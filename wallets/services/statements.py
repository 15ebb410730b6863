"""Statement files: each line is a provider's word on a payment, and is taken like any other."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence

from wallets.models import CashKind, NoticeOutcome
from wallets.statement_files import StatementLine

from .notices import Told, take_notice

REPEATED = "repeated"


def apply_statement(*, provider: str, lines: Sequence[StatementLine], actor: str, at: dt.datetime) -> Mapping[str, int]:
    """Take every line of a statement as a notice, and count what became of them; a line taken before is not again.

    Each line stands alone: a file that is broken off in its middle is simply applied once more.
    """
    counted: Counter[str] = Counter()
    for line in lines:
        taken = take_notice(
            told=Told(
                provider=provider,
                reference=line.reference,
                our_reference=line.our_reference,
                kind=CashKind(line.kind),
                outcome=NoticeOutcome(line.outcome),
                amount_cents=line.amount_cents,
                unit=line.unit,
            ),
            actor=actor,
            at=at,
        )
        counted[REPEATED if taken.repeated else taken.notice.verdict] += 1
    return counted
