"""Statement files: each line is a provider's word on a payment, and is taken like any other."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence

from wallets.models import CashKind, NoticeOutcome
from wallets.statement_files import StatementLine

from .notices import Told, check_told, take_notice

REPEATED = "repeated"


def apply_statement(*, provider: str, lines: Sequence[StatementLine], actor: str, at: dt.datetime) -> Mapping[str, int]:
    """Take every line of a statement as a notice, and count what became of them; a line taken before is not again.

    All lines are looked at before the first is taken: where one cannot be a notice, none is. From then on each stands
    alone: a file that is broken off in its middle is simply applied once more. Raises UnknownProvider, InvalidNotice.
    """
    told = [
        Told(
            provider=provider,
            reference=line.reference,
            our_reference=line.our_reference,
            kind=CashKind(line.kind),
            outcome=NoticeOutcome(line.outcome),
            amount_cents=line.amount_cents,
            unit=line.unit,
        )
        for line in lines
    ]
    for one in told:
        check_told(one)
    counted: Counter[str] = Counter()
    for one in told:
        taken = take_notice(told=one, actor=actor, at=at)
        counted[REPEATED if taken.repeated else taken.notice.verdict] += 1
    return counted
