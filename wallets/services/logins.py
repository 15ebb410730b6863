"""Logging in and out: the record of it, one device at a time, and what staff may do for who cannot get in."""

import datetime as dt
from importlib import import_module

import axes.utils
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from axes.models import AccessAttempt
from django.conf import settings
from django.db import transaction

from roulette_site.common.audit import audited, is_act_in_hand, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import Entrance, LoginRecord, PersonAct, PersonActKind, Player, User
from wallets.personal import email_key
from wallets.services.caps import check_not_oneself

LONGEST_BROWSER = 200
# As much as a row of an act on somebody keeps.
LONGEST_REASON = 300


class NotLocked(RuleBroken):
    """There are no failed logins to forgive."""

    code = "not_locked"


class SecondFactorPresent(RuleBroken):
    """There is a second factor already: it is taken away first."""

    code = "second_factor_present"


class SecondFactorAbsent(RuleBroken):
    """There is no second factor to take away or to make codes for."""

    code = "second_factor_absent"


def record_login(
    *, user: User, entrance: Entrance, session_key: str, address: str | None, browser: str, at: dt.datetime
) -> LoginRecord:
    """Note a login, and end what the user has open in other browsers at the same entrance."""
    with transaction.atomic():
        # Two logins at the same moment: one of them waits, and then ends the other.
        User.objects.select_for_update().only("pk").get(pk=user.pk)
        end_logins(user=user, entrance=entrance, but=session_key, at=at)
        LoginRecord.objects.filter(session_key=session_key).update(session_key="", ended_at=at)
        printable = "".join(one for one in browser if one.isprintable())
        return LoginRecord.objects.create(
            user=user,
            entrance=entrance,
            at=at,
            address=address,
            browser=printable[:LONGEST_BROWSER],
            session_key=session_key,
        )


def end_logins(*, user: User, at: dt.datetime, entrance: Entrance | None = None, but: str = "") -> int:
    """End the user's HTTP sessions at one entrance or at both, but for one; returns how many there were."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    with transaction.atomic():
        open_ones = LoginRecord.objects.filter(user=user).exclude(session_key__in=("", but))
        if entrance is not None:
            open_ones = open_ones.filter(entrance=entrance)
        keys = list(open_ones.values_list("session_key", flat=True))
        for key in keys:
            store(key).delete()
        open_ones.update(session_key="", ended_at=at)
        return len(keys)


def end_login(*, session_key: str, at: dt.datetime) -> None:
    """Note that somebody logged out."""
    if session_key:
        LoginRecord.objects.filter(session_key=session_key).update(session_key="", ended_at=at)


def set_password(*, user: User, password: str, at: dt.datetime) -> None:
    """Give a user the password that he has chosen; the door has made sure that it is he, and that it is a good one."""
    with audited():
        user.set_password(password)
        user.save(update_fields=["password"])
        _record_own("password_changed", user, at)


def unlock_login(*, user: User, reason: str, actor: str, at: dt.datetime) -> PersonAct:
    """Forgive a user's failed logins before their time is over; raises ReasonMissing, OwnBenefit, NotLocked."""
    said = clean_reason(reason, most=LONGEST_REASON)
    check_not_oneself(user=user, actors=(actor,))
    with audited():
        if not axes.utils.reset(username=email_key(user.email)):
            raise NotLocked("There are no failed logins to forgive.")
        record(act="login_unlocked", actor=actor, subject=("user", user.pk), reason=said, at=at)
        return PersonAct.objects.create(user=user, kind=PersonActKind.LOGIN_UNLOCKED, actor=actor, reason=said, at=at)


def failed_logins(user: User) -> int:
    """How many failed logins count against a user now."""
    counted = AccessAttempt.objects.filter(username=email_key(user.email))
    return sum(counted.values_list("failures_since_start", flat=True))


def has_second_factor(user: User) -> bool:
    """Whether the user is asked for a code after his password."""
    return bool(Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.TOTP).exists())


def set_up_second_factor(*, user: User, secret: str, at: dt.datetime) -> None:
    """Store the secret that the user's own device has shown to hold, and recovery codes; raises SecondFactorPresent.

    The door has checked a code of that secret.
    """
    with audited():
        User.objects.select_for_update().only("pk").get(pk=user.pk)
        if has_second_factor(user):
            raise SecondFactorPresent("There is a second factor already.")
        TOTP.activate(user, secret)
        Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.RECOVERY_CODES).delete()
        RecoveryCodes.activate(user)
        _record_own("second_factor_set_up", user, at)


def renew_recovery_codes(*, user: User, at: dt.datetime) -> None:
    """Make the old recovery codes worthless and store new ones; raises SecondFactorAbsent."""
    with audited():
        User.objects.select_for_update().only("pk").get(pk=user.pk)
        if not has_second_factor(user):
            raise SecondFactorAbsent("There is no second factor.")
        Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.RECOVERY_CODES).delete()
        RecoveryCodes.activate(user)
        _record_own("recovery_codes_renewed", user, at)


def recovery_codes(user: User) -> list[str]:
    """The recovery codes that were not used yet."""
    held = Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.RECOVERY_CODES).first()
    return [] if held is None else RecoveryCodes(held).get_unused_codes()


def check_code(user: User, code: str, *, at: dt.datetime) -> bool:
    """Whether a code is right: the device's (once), or one of the recovery codes, which is then used up."""
    text = "".join(code.split())
    if not text or len(text) > 32 or not text.isascii():
        return False
    held = {one.type: one for one in Authenticator.objects.filter(user_id=user.pk)}
    device = held.get(Authenticator.Type.TOTP)
    if device is None:
        return False
    if TOTP(device).validate_code(text):
        return True
    codes = held.get(Authenticator.Type.RECOVERY_CODES)
    if codes is None:
        return False
    with audited():
        is_right = bool(RecoveryCodes(codes).validate_code(text))
        if is_right:
            _record_own("recovery_code_used", user, at)
    return is_right


def remove_second_factor(*, user: User, at: dt.datetime) -> None:
    """Take away the user's own second factor; raises SecondFactorAbsent. The door has asked for it once more."""
    with audited():
        _remove(user)
        _record_own("second_factor_removed", user, at)


def reset_second_factor(*, user: User, reason: str, actor: str, at: dt.datetime) -> PersonAct:
    """Take away the second factor of somebody who has lost it, and end his sessions.

    Nobody does it to himself by another login. Raises ReasonMissing, OwnBenefit, SecondFactorAbsent. A member of staff
    sets up another at his next login.
    """
    said = clean_reason(reason, most=LONGEST_REASON)
    check_not_oneself(user=user, actors=(actor,))
    with audited():
        _remove(user)
        end_logins(user=user, at=at)
        record(act="second_factor_reset", actor=actor, subject=("user", user.pk), reason=said, at=at)
        return PersonAct.objects.create(
            user=user, kind=PersonActKind.SECOND_FACTOR_RESET, actor=actor, reason=said, at=at
        )


def note_address_verified(*, user: User, at: dt.datetime) -> None:
    """Put on record that a user has shown that the address is his; needs the block of that act."""
    assert is_act_in_hand(), "the address becomes his in the same act"
    _record_own("address_verified", user, at)


def _remove(user: User) -> None:
    if not Authenticator.objects.filter(user_id=user.pk).delete()[0]:
        raise SecondFactorAbsent("There is no second factor.")


def _record_own(act: str, user: User, at: dt.datetime) -> None:
    """Record what a user has done about his own login."""
    player_id = Player.objects.filter(user=user).values_list("pk", flat=True).first()
    actor = f"staff:{user.pk}" if player_id is None else f"player:{player_id}"
    record(act=act, actor=actor, subject=("user", user.pk), at=at)
