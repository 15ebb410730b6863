"""The end of an account, and of what is known about a person once it may no longer be kept."""

import datetime as dt

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import (
    Account,
    LoginRecord,
    PayoutAddress,
    Person,
    PersonAct,
    PersonActKind,
    Player,
    Standing,
    Unit,
    User,
)
from wallets.personal import email_key
from wallets.selectors.closing import open_withdrawals_of
from wallets.selectors.people import closed_since
from wallets.services.caps import check_not_oneself
from wallets.services.logins import LONGEST_REASON, end_logins
from wallets.services.papers import remove_papers
from wallets.services.standing import set_standing

# Ends in a name that no network has (RFC 2606): nothing can ever be sent there.
ERASED_EMAIL = "erased-{id}@erased.invalid"


class AccountClosed(RuleBroken):
    """The account is closed already."""

    code = "account_closed"


class AccountNotClosed(RuleBroken):
    """Data of an account that is open, or whose closing is on no record, are needed."""

    code = "account_not_closed"


class RetentionNotOver(RuleBroken):
    """The law wants the data kept for longer."""

    code = "retention_not_over"


class MoneyLeft(RuleBroken):
    """There is money of the person's: it is paid out while it is known to whom."""

    code = "money_left"


class WithdrawalPending(RuleBroken):
    """Money of the person's is on its way to him, and may come back."""

    code = "withdrawal_pending"


class AlreadyErased(RuleBroken):
    """There is nothing left to erase."""

    code = "already_erased"


def close_account(*, user: User, reason: str, actor: str, at: dt.datetime) -> PersonAct:
    """Let a user log in no more, and begin the time for which his data are kept; a player's account is closed with it.

    Raises ReasonMissing, AccountClosed, and AccountNotEmpty before a player's money has been paid out.
    """
    said = clean_reason(reason, most=LONGEST_REASON)
    with audited():
        user = User.objects.select_for_update().get(pk=user.pk)
        player = Player.objects.filter(user=user).first()
        # Being closed once more, for money that came after the end: the time of retention runs from the last end.
        is_once_more = player is not None and player.standing == Standing.CLOSING
        if closed_since(user) is not None and not is_once_more:
            raise AccountClosed("The account is closed already.")
        if player is not None:
            set_standing(player=player, standing=Standing.CLOSED, reason=said, actor=actor, at=at)
        User.objects.filter(pk=user.pk).update(is_active=False)
        end_logins(user=user, at=at)
        record(act="account_closed", actor=actor, subject=("user", user.pk), reason=said, at=at)
        return PersonAct.objects.create(user=user, kind=PersonActKind.ACCOUNT_CLOSED, actor=actor, reason=said, at=at)


def erase_person(*, user: User, reason: str, actor: str, at: dt.datetime) -> PersonAct:
    """Erase who a user was and keep his id, on which the books stand; runs once.

    Raises ReasonMissing, OwnBenefit, AlreadyErased, AccountNotClosed, RetentionNotOver, MoneyLeft, WithdrawalPending.
    What was asked of whom and when stays as an act; the reason must name nobody.
    """
    said = clean_reason(reason, most=LONGEST_REASON)
    check_not_oneself(user=user, actors=(actor,))
    with audited():
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.email == ERASED_EMAIL.format(id=user.pk):
            raise AlreadyErased("The data of this person were erased before.")
        closed_at = closed_since(user)
        if closed_at is None:
            raise AccountNotClosed("The account must be closed first, so that the time of retention runs.")
        may_at = closed_at + dt.timedelta(days=settings.RETENTION_DAYS)
        if at < may_at:
            raise RetentionNotOver(f"The data must be kept until {may_at:%Y-%m-%d}.", until=may_at.isoformat())
        if Account.objects.filter(player__user=user, unit=Unit.EUR, balance_cents__gt=0).exists():
            raise MoneyLeft("There is money in the person's wallets.")
        player = Player.objects.filter(user=user).first()
        if player is not None and open_withdrawals_of(player):
            raise WithdrawalPending("A withdrawal of the person's is on its way, and may come back.")
        _blank(user, at=at)
        record(act="person_erased", actor=actor, subject=("user", user.pk), reason=said, at=at)
        return PersonAct.objects.create(user=user, kind=PersonActKind.ERASED, actor=actor, reason=said, at=at)


def _blank(user: User, *, at: dt.datetime) -> None:
    old = email_key(user.email)
    end_logins(user=user, at=at)
    LoginRecord.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    for attempts in (AccessAttempt, AccessFailureLog, AccessLog):
        attempts.objects.filter(username=old).delete()
    # The admin's own log repeats how rows were called.
    logged = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk))
    logged.update(object_repr="")
    player = Player.objects.filter(user=user).first()
    if player is not None:
        Player.objects.filter(pk=player.pk).update(handle=f"erased-{player.pk}")
        remove_papers(player=player, at=at)
        named = PayoutAddress.objects.filter(player=player, erased_at__isnull=True)
        named.update(iban_sealed="", iban_hash="", masked="", erased_at=at)
    Person.objects.filter(user=user).update(
        birth_date=None,
        country="",
        language="",
        time_zone="",
        address="",
        document_type="",
        document_number_sealed="",
        document_hash="",
        document_country="",
        document_expires_on=None,
        expiry_told_at=None,
        email_hash="",
        name_hash="",
        erased_at=at,
    )
    user.email, user.full_name, user.last_login, user.is_active = ERASED_EMAIL.format(id=user.pk), "", None, False
    user.set_unusable_password()
    user.save()
