"""The file by which finance makes bank transfers: what was approved, how much, and to which account.

It holds bank account numbers in the clear, so that who took it and what stood in it is in the audit trail, one entry
for each withdrawal. A withdrawal that stood in an earlier file is marked: whoever makes the transfers twice pays twice.
"""

import csv
import datetime as dt
import io
from dataclasses import dataclass

from django.db import transaction

from roulette_site.common.audit import record
from roulette_site.common.models import AuditEntry
from wallets.amounts import format_cents
from wallets.csv_cells import safe_cell
from wallets.models import CashKind, CashRequest, CashState, CashStep
from wallets.providers import all_providers
from wallets.sealing import unseal

ACT, SUBJECT = "payout_listed", "cash_request"
COLUMNS = ("reference", "name", "iban", "back_to", "amount", "unit", "approved_at", "in_earlier_file")
# Approved, and handed to a provider who does nothing by himself: until the statement says that they were paid.
TO_SEND = (CashState.APPROVED, CashState.SENT)


@dataclass(frozen=True)
class PayoutFile:
    """The file's text, and how many withdrawals stand in it."""

    text: str
    count: int


def make_payout_file(*, actor: str, at: dt.datetime) -> PayoutFile:
    """Write the withdrawals that somebody has to transfer by hand, the oldest first, and note each in the trail.

    Those that go back the way a deposit came have no account number; their line says which payment that was.
    """
    by_hand = [provider.code for provider in all_providers() if not provider.can_be_asked]
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    with transaction.atomic():
        waiting = CashRequest.objects.filter(kind=CashKind.WITHDRAWAL, state__in=TO_SEND, provider__in=by_hand)
        # Held until it is written down: of two who take the file at once the second sees the first one's marks.
        waiting = waiting.select_related("payout_address", "refund_of", "account__player__user")
        locked = list(waiting.select_for_update(of=("self",), no_key=True).order_by("id"))
        ids = [str(one.pk) for one in locked]
        before = AuditEntry.objects.filter(act=ACT, subject_kind=SUBJECT, subject_id__in=ids)
        listed = set(before.values_list("subject_id", flat=True))
        steps = CashStep.objects.filter(request__in=locked, to_state=CashState.APPROVED)
        approved = dict(steps.values_list("request_id", "at"))
        for one in locked:
            address = one.payout_address
            iban = unseal(address.iban_sealed) if address is not None and address.iban_sealed else ""
            back_to = one.refund_of.provider_reference if one.refund_of is not None else ""
            is_listed = str(one.pk) in listed
            assert one.account.player is not None, "the database holds it"
            cells = (
                str(one),
                one.account.player.user.full_name,
                iban,
                back_to,
                format_cents(one.amount_cents),
                one.unit,
                approved[one.pk].isoformat(),
                "yes" if is_listed else "no",
            )
            rows.writerow([safe_cell(cell) for cell in cells])
            record(
                act=ACT,
                actor=actor,
                subject=(SUBJECT, one.pk),
                after={"amount_cents": one.amount_cents, "payout_to": one.payout_to, "again": is_listed},
                at=at,
            )
    return PayoutFile(out.getvalue(), len(locked))
