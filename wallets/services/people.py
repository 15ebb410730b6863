"""Bringing people into the system, and keeping what is known about them."""

import datetime as dt
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.models.operator import validate_time_zone
from roulette_site.common.sql import breaks_unique_key
from wallets.models import Consent, ConsentTo, DocumentType, Person, Player, RegisterOccasion, Unit, User
from wallets.personal import (
    COUNTRIES,
    LANGUAGES,
    DocumentRefused,
    check_birth_date,
    check_document_number,
    check_full_name,
    document_key,
    email_key,
    name_key,
)
from wallets.sealing import keyed_hash, seal
from wallets.selectors.people import operator_day
from wallets.services.caps import check_not_oneself
from wallets.services.doubles import hold_doubles
from wallets.services.ledger import open_wallet
from wallets.services.register_checks import check_player
from wallets.services.standing import hold_person_to_registry, hold_to_registry

# Without vowels and what is mistaken for something else: a handle spells no word.
_HANDLE_LETTERS = "bcdfghjkmnpqrstvwxz23456789"
_HANDLE_LENGTH = 10


class EmailRefused(RuleBroken):
    """This is no address that mail can be sent to."""

    code = "email_refused"
    http_status = 422


class EmailTaken(RuleBroken):
    """Somebody has this address already. Doors tell its owner by mail, and whoever asks nothing."""

    code = "email_taken"


class PasswordRefused(RuleBroken):
    """The password is too easy to guess; `details` says why."""

    code = "password_refused"
    http_status = 422


class CountryUnknown(RuleBroken):
    """There is no such country."""

    code = "country_unknown"
    http_status = 422


class LanguageUnknown(RuleBroken):
    """Nobody here speaks that language."""

    code = "language_unknown"
    http_status = 422


class TimeZoneUnknown(RuleBroken):
    """No place has that time zone."""

    code = "time_zone_unknown"
    http_status = 422


class ConsentMissing(RuleBroken):
    """Who registers agrees to the terms and to the privacy notice, in the version that stands."""

    code = "consent_missing"
    http_status = 422


class PersonErased(RuleBroken):
    """The data of this person were erased and do not come back."""

    code = "person_erased"


def add_player(
    *, email: str, full_name: str, handle: str, at: dt.datetime, actor: str = "system", is_test: bool = False
) -> Player:
    """Store a player who can log in once he has a password; whoever adds him answers for his address.

    With `is_test` it is an account of the house's own, which no figure of the business counts.
    """
    with audited():
        user = User.objects.create_user(email=email, full_name=full_name)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        player = Player.objects.create(user=user, handle=handle, created_at=at, is_test=is_test)
        after = {"user": user.pk} | ({"is_test": True} if is_test else {})
        record(act="player_added", actor=actor, subject=("player", player.pk), after=after, at=at)
    return player


def add_staff(*, email: str, full_name: str, roles: Sequence[str], at: dt.datetime, actor: str = "system") -> User:
    """Store a member of the staff with roles (groups that exist), who can log in once he has a password.

    Raises NameRefused.
    """
    name = check_full_name(full_name)
    with audited():
        user = User.objects.create_user(email=email, full_name=name, is_staff=True)
        groups = [Group.objects.get(name=role) for role in roles]
        user.groups.set(groups)
        record(
            act="roles_given",
            actor=actor,
            subject=("user", user.pk),
            after={"groups": sorted(group.pk for group in groups)},
            at=at,
        )
    return user


def register_player(
    *,
    email: str,
    password: str,
    full_name: str,
    birth_date: dt.date,
    country: str,
    language: str,
    time_zone: str,
    consents: Mapping[str, str],
    at: dt.datetime,
) -> Player:
    """Store an adult who registers himself, with his wallets and consents; he logs in once his address is verified.

    `consents` are the versions that he agreed to. Raises NameRefused, BirthDateRefused, TooYoung (by the operator's
    own day), CountryUnknown, LanguageUnknown, TimeZoneUnknown, ConsentMissing, EmailRefused, PasswordRefused and, last
    of all, EmailTaken.
    """
    name = check_full_name(full_name)
    check_birth_date(birth_date, today=operator_day(at))
    _check_places(country=country, language=language, time_zone=time_zone)
    if set(consents) != set(ConsentTo.values) or not all(consents.values()):
        raise ConsentMissing("The terms and the privacy notice must both be agreed to.")
    address = check_email(email)
    check_password(password, User(email=address, full_name=name))
    if User.objects.filter(email__iexact=address).exists():
        raise EmailTaken("Somebody has this address already.")
    try:
        with audited():
            user = User.objects.create_user(email=address, password=password, full_name=name)
            EmailAddress.objects.create(user=user, email=user.email, verified=False, primary=True)
            record_person(
                user=user, birth_date=birth_date, country=country, language=language, time_zone=time_zone, at=at
            )
            Consent.objects.bulk_create(
                Consent(user=user, text=text, version=version, at=at) for text, version in sorted(consents.items())
            )
            player = Player.objects.create(user=user, handle=fresh_handle(), created_at=at, time_zone=time_zone)
            for unit in Unit:
                open_wallet(player=player, unit=unit)
            actor = f"player:{player.pk}"
            record(act="player_registered", actor=actor, subject=("player", player.pk), after={"user": user.pk}, at=at)
            hold_to_registry(player=player, at=at)
            hold_doubles(player=player, at=at)
    except IntegrityError as error:
        # Somebody registered the same address at the same moment.
        if breaks_unique_key(error) and User.objects.filter(email__iexact=address).exists():
            raise EmailTaken("Somebody has this address already.") from error
        raise
    # Not in the transaction: the register may take its time. Whom it lists is registered, and excluded at once.
    check_player(player=player, occasion=RegisterOccasion.REGISTRATION, at=at)
    return player


def address_to_verify(*, user: User, at: dt.datetime) -> EmailAddress:
    """The user's address as one that he has to show to be his, made where there is none yet."""
    found = EmailAddress.objects.filter(user=user, email=user.email).first()
    if found is not None:
        return found
    with audited():
        address, is_new = EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"primary": True})
        if is_new:
            record(act="address_to_verify", actor="system", subject=("user", user.pk), at=at)
        return address


def record_person(*, user: User, at: dt.datetime, **facts: Any) -> Person:
    """Store what is known of a user beside name and address, or change what is given: birth date, country, language,
    time zone, postal address.

    Whoever calls answers for the age. Raises PersonErased, CountryUnknown, LanguageUnknown and TimeZoneUnknown.
    """
    unknown = set(facts) - {"birth_date", "country", "language", "time_zone", "address"}
    assert not unknown, f"a person has no {unknown}"
    with audited():
        person = _locked_person(user) or Person(user=user, created_at=at)
        for name, value in facts.items():
            setattr(person, name, value)
        _check_places(country=person.country, language=person.language, time_zone=person.time_zone)
        _set_keys(person, user)
        person.save()
        record(act="person_recorded", actor="system", subject=("user", user.pk), after={"given": sorted(facts)}, at=at)
        _hold(user, at)
        return person


def record_document(
    *,
    user: User,
    document_type: DocumentType,
    number: str,
    at: dt.datetime,
    country: str = "",
    expires_on: dt.date | None = None,
    actor: str = "system",
) -> Person:
    """Store by which document a user was identified, its number encrypted.

    Of a player no member of the staff says it who may be he. Raises DocumentRefused for what is no number and for a
    document that has run out, CountryUnknown, PersonErased, OwnBenefit.
    """
    written = check_document_number(number)
    if expires_on is not None and expires_on < operator_day(at):
        raise DocumentRefused("This document has run out.")
    _check_places(country=country, language="", time_zone="")
    check_not_oneself(user=user, actors=(actor,))
    with audited():
        person = _locked_person(user) or Person(user=user, created_at=at)
        _set_keys(person, user)
        person.document_type = document_type
        person.document_number_sealed = seal(written)
        person.document_hash = keyed_hash("document", document_key(written))
        person.document_country = country
        person.document_expires_on = expires_on
        person.expiry_told_at = None
        person.save()
        facts = {"document_type": str(document_type)}
        record(act="document_recorded", actor=actor, subject=("user", user.pk), after=facts, at=at)
        _hold(user, at)
        return person


def refresh_person_keys(user: User, *, at: dt.datetime) -> None:
    """Make the keyed hashes follow a name or an address that was changed; does nothing for who has no data.

    Whom the registry of restricted persons names under the new address is restricted, and so is who is by his new name
    of the staff, or whom a new member of the staff turns out to be.
    """
    with audited():
        person = _locked_person(user)
        if person is not None:
            _set_keys(person, user)
            person.save(update_fields=["email_hash", "name_hash"])
            record(act="person_found_anew", actor="system", subject=("user", user.pk), at=at)
        _hold(user, at)


def _hold(user: User, at: dt.datetime) -> None:
    hold_person_to_registry(user=user, at=at)
    player = Player.objects.filter(user=user).first()
    if player is not None:
        hold_doubles(player=player, at=at)


def check_email(text: str) -> str:
    """Return the address as it is stored; raises EmailRefused."""
    address = User.objects.normalize_email(text.strip())
    try:
        validate_email(address)
        User._meta.get_field("email").run_validators(address)
    except ValidationError:
        raise EmailRefused("This is no e-mail address.") from None
    return address


def check_password(password: str, user: User) -> None:
    """Let good passwords pass; raises PasswordRefused with all that is wrong."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise PasswordRefused(" ".join(error.messages), faults=list(error.messages)) from None


def _locked_person(user: User) -> Person | None:
    person = Person.objects.select_for_update().filter(user=user).first()
    if person is not None and person.erased_at is not None:
        raise PersonErased("The data of this person were erased.")
    return person


def _set_keys(person: Person, user: User) -> None:
    person.email_hash = keyed_hash("email", email_key(user.email))
    person.name_hash = keyed_hash("name", name_key(user.full_name))


def _check_places(*, country: str, language: str, time_zone: str) -> None:
    """An empty one is not known yet."""
    if country and country not in COUNTRIES:
        raise CountryUnknown("There is no such country.", country=country)
    if language and language not in LANGUAGES:
        raise LanguageUnknown("There is no such language here.", language=language)
    if time_zone:
        try:
            validate_time_zone(time_zone)
        except ValidationError as error:
            raise TimeZoneUnknown(error.messages[0]) from None


def fresh_handle(kind: str = "p") -> str:
    """A handle that tells nothing but the kind of account."""
    return f"{kind}-" + "".join(secrets.choice(_HANDLE_LETTERS) for _ in range(_HANDLE_LENGTH))
