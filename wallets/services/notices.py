"""What a provider says of a payment: taken once, held against what was asked, and nothing of it lost.

Providers tell twice, late, out of order and of other amounts. Each of these has one clear outcome (Verdict), money that
came and cannot be credited stands in suspense, and whatever is not as expected is a finding for a person. An outcome
that is not definite moves nothing.
"""

import datetime as dt
import re
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import kept_of
from roulette_site.common.sql import breaks_unique_key
from wallets.amounts import MOST_CENTS
from wallets.models import (
    QUIET_VERDICTS,
    Account,
    AccountKind,
    CashKind,
    CashRequest,
    CashState,
    FindingKind,
    InboxKind,
    NoticeOutcome,
    ProviderNotice,
    Reason,
    Transfer,
    Unit,
    Verdict,
)
from wallets.providers import find_provider
from wallets.selectors.suspense import Kept

from . import permission_to_pay
from .cash_requests import UnknownProvider, record_step
from .corrections import correct_transfer
from .findings import open_finding
from .inbox import tell_player
from .ledger import lock_accounts, operator_account, post_transfer

# So many characters a step has for a reason.
MOST_STEP = 300
_REFERENCE = re.compile(r"[\x21-\x7e]{1,80}\Z")
_OURS = re.compile(r"[\x21-\x7e]{0,40}\Z")
_REQUEST = re.compile(r"([DW])([1-9][0-9]{0,17})\Z")
_UNIT = re.compile(r"[A-Z]{3,4}\Z")
_OPEN = {
    CashKind.DEPOSIT: (CashState.STARTED, CashState.UNKNOWN, CashState.EXPIRED),
    CashKind.WITHDRAWAL: (CashState.SENT, CashState.UNKNOWN),
}


class InvalidNotice(RuleBroken):
    """What came cannot be a provider's word on a payment."""

    code = "invalid_notice"
    http_status = 422


@dataclass(frozen=True)
class Told:
    """A provider's word on one payment. `reference` is his number of it, `our_reference` the request that he names."""

    provider: str
    reference: str
    our_reference: str
    kind: CashKind
    outcome: NoticeOutcome
    amount_cents: int
    unit: str
    reason: str = ""


@dataclass(frozen=True)
class Taken:
    """The notice as it stands in the books.

    `repeated` where it stood there before, `differs` where it then said otherwise.
    """

    notice: ProviderNotice
    repeated: bool
    differs: bool = False


def take_notice(*, told: Told, actor: str, at: dt.datetime) -> Taken:
    """Take a provider's word on a payment, once. Raises InvalidNotice and UnknownProvider, and then nothing is kept."""
    check_told(told)
    found = _find_request(told)
    try:
        with audited():
            request = None
            if found is not None:
                # Accounts first, then requests: the one order of these locks.
                lock_accounts(found.account_id)
                request = CashRequest.objects.select_for_update(of=("self",), no_key=True).get(pk=found.pk)
            if (before := _told_before(told, actor, at)) is not None:
                return Taken(before, repeated=True, differs=_says_otherwise(before, told))
            return Taken(_Desk(told, request, actor, at).take(), repeated=False)
    except IntegrityError as error:
        if not breaks_unique_key(error):
            raise
        # The same word came twice at once, and names no request whose lock would have let one wait.
        with transaction.atomic():
            before = _told_before(told, actor, at)
        if before is None:
            raise
        return Taken(before, repeated=True, differs=_says_otherwise(before, told))


def check_told(told: Told) -> None:
    """Raise UnknownProvider or InvalidNotice for what cannot be a provider's word."""
    if find_provider(told.provider) is None:
        raise UnknownProvider("There is no such provider.")
    faults = [
        name
        for name, is_right in (
            ("reference", _REFERENCE.match(told.reference)),
            ("our_reference", _OURS.match(told.our_reference)),
            ("unit", _UNIT.match(told.unit)),
            ("amount", type(told.amount_cents) is int and 0 < told.amount_cents <= MOST_CENTS),
        )
        if not is_right
    ]
    if faults:
        raise InvalidNotice(f"This cannot be a notice: {', '.join(faults)}.", fields=faults)


def _find_request(told: Told) -> CashRequest | None:
    named = _REQUEST.match(told.our_reference)
    if named is None or named[1] != told.kind[:1].upper():
        return None
    return CashRequest.objects.filter(pk=int(named[2]), kind=told.kind, provider=told.provider).first()


def _told_before(told: Told, actor: str, at: dt.datetime) -> ProviderNotice | None:
    """The notice that stands already; a finding where it then said something else."""
    before = ProviderNotice.objects.filter(
        provider=told.provider, reference=told.reference, outcome=told.outcome
    ).first()
    if before is None:
        return None
    if _says_otherwise(before, told):
        open_finding(
            kind=FindingKind.NOTICE,
            subject=f"changed:{told.provider}:{told.reference}:{told.outcome}:{told.amount_cents}:{told.unit}",
            detail=f"{told.provider} tells of payment {told.reference} again, otherwise than before.",
            amount_cents=told.amount_cents,
            unit=told.unit,
            request=before.request,
            notice=before,
            actor=actor,
            at=at,
        )
    return before


def _says_otherwise(before: ProviderNotice, told: Told) -> bool:
    then = (before.kind, before.our_reference, before.amount_cents, before.unit)
    return then != (told.kind, told.our_reference, told.amount_cents, told.unit)


def report_forged_notice(*, provider: str, at: dt.datetime) -> None:
    """Let staff know, once until somebody has looked at it, that notices come which the provider has not signed.

    Nothing of them is kept: whoever sends them writes nothing into our rows but this.
    """
    with transaction.atomic():
        found = open_finding(
            kind=FindingKind.NOTICE,
            subject=f"forged:{provider}",
            detail=f"Notices come in the name of {provider} whose signature is not right.",
            actor="system",
            at=at,
        )
        if found is not None:
            record(act="notice_forged", actor="system", subject=("finding", found.pk), at=at)


@dataclass
class _Desk:
    """One notice on its way into the books, under the locks of its request and account."""

    told: Told
    request: CashRequest | None
    actor: str
    at: dt.datetime
    detail: str = ""

    def take(self) -> ProviderNotice:
        told, request = self.told, self.request
        verdict = self._judge()
        suspended = self._suspend() if verdict not in QUIET_VERDICTS and self._money_came(verdict) else None
        if request is not None and not request.provider_reference:
            self._note_reference(request)
        notice = ProviderNotice.objects.create(
            provider=told.provider,
            reference=told.reference,
            outcome=told.outcome,
            kind=told.kind,
            our_reference=told.our_reference,
            request=request,
            amount_cents=told.amount_cents,
            unit=told.unit,
            verdict=verdict,
            suspended=suspended,
            actor=self.actor,
            received_at=self.at,
        )
        self._act(verdict)
        if suspended is not None and request is not None:
            self._tell(request, InboxKind.DEPOSIT, state=Kept.KEPT)
        if verdict == Verdict.KNOWN:
            # Nothing follows from it, and yet its row would keep the same word from being taken anew.
            record(
                act="notice_known",
                actor=self.actor if ":" in self.actor else "system",
                subject=("notice", notice.pk),
                at=self.at,
            )
        if verdict not in QUIET_VERDICTS:
            name = request.reference if request is not None else told.our_reference or "no request"
            where = " The money is in suspense." if suspended is not None else ""
            record(
                act="notice_not_applied",
                actor=self.actor if ":" in self.actor else "system",
                subject=("notice", notice.pk),
                after={"verdict": str(verdict), "amount_cents": told.amount_cents, "suspended": suspended is not None},
                at=self.at,
            )
            open_finding(
                kind=FindingKind.NOTICE,
                subject=f"{told.provider}:{told.reference}:{told.outcome}",
                detail=f"{name}: {told.provider} {told.reference} {verdict.label}. {self.detail}".strip() + where,
                amount_cents=told.amount_cents,
                unit=told.unit,
                account=request.account if request is not None else None,
                request=request,
                notice=notice,
                actor=self.actor,
                at=self.at,
            )
        return notice

    def _judge(self) -> Verdict:
        """What is to be made of the notice; changes nothing."""
        told, request = self.told, self.request
        if request is None:
            return Verdict.UNKNOWN_REQUEST
        if told.unit != request.unit:
            return Verdict.WRONG_UNIT
        if request.state in _OPEN[CashKind(request.kind)]:
            if told.amount_cents != request.amount_cents:
                return Verdict.WRONG_AMOUNT
            if request.kind == CashKind.DEPOSIT and told.outcome == NoticeOutcome.PAID:
                return self._judge_player(request)
            return Verdict.APPLIED
        is_paid = told.outcome == NoticeOutcome.PAID
        match CashState(request.state):
            case CashState.CONFIRMED | CashState.PAID:
                return Verdict.PAID_TWICE if is_paid else Verdict.CONTRADICTS
            case CashState.FAILED:
                return Verdict.LATE if is_paid else Verdict.KNOWN
            case CashState.REFUSED:
                return Verdict.CONTRADICTS if is_paid else Verdict.KNOWN
            case _:
                return Verdict.NOT_SENT

    def _judge_player(self, request: CashRequest) -> Verdict:
        player = request.account.player
        assert player is not None, "the database holds it"
        try:
            permission_to_pay.check_deposit(player=player, amount_cents=request.amount_cents, at=self.at)
        except RuleBroken as error:
            self.detail = f"{error.code}: {error.message}"
            return Verdict.NOT_PERMITTED
        return Verdict.APPLIED

    def _money_came(self, verdict: Verdict) -> bool:
        """Whether money of ours has come that no player is credited with."""
        return (
            self.told.kind == CashKind.DEPOSIT
            and self.told.outcome == NoticeOutcome.PAID
            and self.told.unit == Unit.EUR
            and verdict != Verdict.WRONG_UNIT
        )

    def _suspend(self) -> Transfer:
        return self._post(self._bank, operator_account(kind=AccountKind.SUSPENSE, unit=Unit.EUR), Reason.DEPOSIT)

    def _act(self, verdict: Verdict) -> None:
        """Take the request on."""
        request, is_paid = self.request, self.told.outcome == NoticeOutcome.PAID
        if request is None:
            return
        if verdict == Verdict.APPLIED:
            if request.kind == CashKind.DEPOSIT:
                self._confirm_deposit(request) if is_paid else self._step(CashState.FAILED, self._why)
            else:
                self._pay(request) if is_paid else self._refuse(request)
        elif verdict in (Verdict.WRONG_AMOUNT, Verdict.NOT_PERMITTED) and request.kind == CashKind.DEPOSIT and is_paid:
            # What came is in suspense; the request itself will not be fulfilled any more, lest it be credited twice.
            self._step(CashState.FAILED, verdict.label)
        elif verdict in (Verdict.WRONG_AMOUNT, Verdict.WRONG_UNIT) and request.state in (
            CashState.STARTED,
            CashState.SENT,
        ):
            self._step(CashState.UNKNOWN, verdict.label)

    def _confirm_deposit(self, request: CashRequest) -> None:
        self._step(CashState.CONFIRMED, moved=self._post(self._bank, request.account, Reason.DEPOSIT))

    def _pay(self, request: CashRequest) -> None:
        pending = operator_account(kind=AccountKind.PENDING, unit=Unit.EUR)
        self._step(CashState.PAID, moved=self._post(pending, self._bank, Reason.WITHDRAWAL))

    def _refuse(self, request: CashRequest) -> None:
        # The state first: until it says that the provider refused, the database lets nobody undo what is held.
        self._step(CashState.REFUSED, self._why)
        assert request.held is not None, "the database holds it"
        back = correct_transfer(first=request.held, amount_cents=request.amount_cents, actor=self.actor, at=self.at)
        CashRequest.objects.filter(pk=request.pk).update(returned=back)
        self._tell(request, InboxKind.WITHDRAWAL)

    def _tell(self, request: CashRequest, kind: InboxKind, **more: str) -> None:
        """Tell the player what has become of his payment."""
        player = request.account.player
        assert player is not None, "the database holds it"
        said = {"amount_cents": self.told.amount_cents, "unit": self.told.unit, "request": request.reference}
        tell_player(player=player, kind=kind, data=said | more, at=self.at)

    @property
    def _why(self) -> str:
        """What stays of the provider's reason: he knows no rule of ours, and a step is kept for ever."""
        return kept_of(self.told.reason, most=MOST_STEP)

    @property
    def _bank(self) -> Account:
        return operator_account(kind=AccountKind.BANK, unit=Unit.EUR)

    def _post(self, debit: Account, credit: Account, reason: Reason) -> Transfer:
        return post_transfer(
            debit=debit,
            credit=credit,
            amount_cents=self.told.amount_cents,
            reason=reason,
            actor=self.actor,
            at=self.at,
        )

    def _step(self, state: CashState, reason: str = "", moved: Transfer | None = None) -> None:
        request = self.request
        assert request is not None, "a step is a request's"
        before = request.state
        request.state, request.moved = state, moved
        if state != CashState.UNKNOWN:
            request.decided_at = self.at
        request.save(update_fields=["state", "moved", "decided_at"])
        record_step(request, state, actor=self.actor, at=self.at, reason=reason, from_state=before)

    def _note_reference(self, request: CashRequest) -> None:
        """Keep the provider's number of the payment, where no other request has it."""
        taken = CashRequest.objects.filter(provider=request.provider, provider_reference=self.told.reference)
        if not taken.exists():
            request.provider_reference = self.told.reference
            request.save(update_fields=["provider_reference"])
