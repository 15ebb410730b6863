"""Finding people, and telling who may be the same."""

import datetime as dt
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from django.db.models import Q

from roulette_site.common.models import Operator
from wallets.models import LoginRecord, PayoutAddress, Person, PersonAct, PersonActKind, Player, User
from wallets.personal import document_key, email_key, name_key
from wallets.sealing import keyed_hash


def operator_day(at: dt.datetime) -> dt.date:
    """The calendar day at the operator's place: by it people come of age (UTC before there is an operator)."""
    operator = Operator.objects.first()
    return at.astimezone(ZoneInfo(operator.time_zone) if operator else dt.UTC).date()


def find_by_email(email: str) -> Sequence[Person]:
    """The people with this address, however it is written."""
    return _found("email_hash", keyed_hash("email", email_key(email)))


def find_by_document(number: str) -> Sequence[Person]:
    """The people whose document has this number, however it is written."""
    return _found("document_hash", keyed_hash("document", document_key(number)))


def find_users(term: str) -> list[int]:
    """The ids of the users with this whole address or name; of whom no hash is kept, by the address as it stands."""
    people = (*find_by_email(term), *_found("name_hash", keyed_hash("name", name_key(term))))
    found = {one.user_id for one in people}
    nobodys = User.objects.filter(email__iexact=term.strip(), person__isnull=True)
    return sorted(found | set(nobodys.values_list("pk", flat=True)))


def find_duplicates(person: Person) -> Sequence[Person]:
    """Other people of the same name and birth date, or with the same document. Erased ones are nobody's double."""
    same = Q(pk__in=[])
    if person.name_hash and person.birth_date is not None:
        same |= Q(name_hash=person.name_hash, birth_date=person.birth_date)
    if person.document_hash:
        same |= Q(document_hash=person.document_hash)
    others = Person.objects.filter(same).exclude(pk=person.pk).filter(erased_at__isnull=True)
    return list(others.select_related("user").order_by("pk"))


def accounts_of(player: Player) -> list[Player]:
    """The player's account and all that may be the same person's, by name and birth date or document; by number.

    Also by way of a third: who shares a document with a double is one.
    """
    waiting, people = list(Person.objects.filter(user_id=player.user_id)), dict[int, Person]()
    while waiting:
        person = waiting.pop()
        if person.pk not in people:
            people[person.pk] = person
            waiting += find_duplicates(person)
    users = {player.user_id, *(one.user_id for one in people.values())}
    return list(Player.objects.filter(user_id__in=users).select_related("user").order_by("pk"))


def may_be_same_person(one: User, other: User) -> bool:
    """Whether two logins may be one person's: one login, document, or bank account; or one name and birth date."""
    if one.pk == other.pk:
        return True
    people = {person.user_id: person for person in Person.objects.filter(user__in=(one, other))}
    if one.pk in people and other.pk in people and people[other.pk] in find_duplicates(people[one.pk]):
        return True
    paid_to = PayoutAddress.objects.filter(erased_at__isnull=True).exclude(iban_hash="")
    mine = paid_to.filter(player__user=one).values("iban_hash")
    return paid_to.filter(player__user=other, iban_hash__in=mine).exists()


def closed_since(user: User) -> dt.datetime | None:
    """When the account was closed, as far as that is on record; None while it is open.

    The one place that says what a closed account is.
    """
    if user.is_active:
        return None
    acts = PersonAct.objects.filter(user=user, kind=PersonActKind.ACCOUNT_CLOSED)
    return acts.order_by("-at", "-pk").values_list("at", flat=True).first()


def last_login_before(user: User) -> dt.datetime | None:
    """When the user was here the time before this one."""
    latest = LoginRecord.objects.filter(user=user).order_by("-at", "-pk").values_list("at", flat=True)[:2]
    return latest[1] if len(latest) > 1 else None


def _found(column: str, value: str) -> Sequence[Person]:
    return list(Person.objects.filter(**{column: value}).select_related("user").order_by("pk")) if value else ()
