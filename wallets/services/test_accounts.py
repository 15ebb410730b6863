"""Accounts of the house's own, for trying things out on the site that takes money: marked, capped, in no figure."""

import datetime as dt

from django.db import IntegrityError

from roulette_site.common.audit import audited
from roulette_site.common.reasons import clean_reason
from roulette_site.common.sql import breaks_unique_key
from wallets.models import KycState, Player, Unit, User
from wallets.personal import check_birth_date, check_full_name
from wallets.selectors.people import operator_day

from .ledger import open_wallet
from .people import EmailTaken, add_player, check_email, fresh_handle, record_person
from .register_checks import RegisterUnknown
from .standing import set_kyc_state


def add_test_account(
    *,
    email: str,
    full_name: str,
    birth_date: dt.date,
    country: str,
    language: str,
    time_zone: str,
    reason: str,
    actor: str,
    at: dt.datetime,
) -> Player:
    """Store a test account and verify it, for whoever of the house holds it; he sets a password by mail.

    The mark is there from the first moment and never goes. Where the register of excluded people gives no answer the
    account is left unverified. Raises NameRefused, BirthDateRefused, TooYoung, EmailRefused, EmailTaken,
    CountryUnknown, LanguageUnknown, TimeZoneUnknown and ReasonNotUsable.
    """
    name, address, reason = check_full_name(full_name), check_email(email), clean_reason(reason)
    check_birth_date(birth_date, today=operator_day(at))
    if User.objects.filter(email__iexact=address).exists():
        raise EmailTaken("Somebody has this address already.")
    try:
        with audited():
            player = add_player(
                email=address, full_name=name, handle=fresh_handle("test"), actor=actor, is_test=True, at=at
            )
            record_person(
                user=player.user, birth_date=birth_date, country=country, language=language, time_zone=time_zone, at=at
            )
            for unit in Unit:
                open_wallet(player=player, unit=unit)
    except IntegrityError as error:
        if breaks_unique_key(error) and User.objects.filter(email__iexact=address).exists():
            raise EmailTaken("Somebody has this address already.") from error
        raise
    try:
        return set_kyc_state(player=player, state=KycState.VERIFIED, reason=reason, actor=actor, at=at)
    except RegisterUnknown:
        return Player.objects.get(pk=player.pk)
