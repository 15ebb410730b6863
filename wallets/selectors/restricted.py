"""Whom the registry of restricted persons names."""

import datetime as dt
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from roulette_site.common.sql import database_now
from wallets.guards import RESTRICTED_REGISTRY
from wallets.models import Person, Player, RestrictedEntry, StandingChange, StandingField, User
from wallets.personal import document_key, email_key
from wallets.sealing import keyed_hash

from .people import find_duplicates, may_be_same_person

# Under this name the registry restricts players, and frees those whom it has restricted.
REGISTRY = RESTRICTED_REGISTRY


def in_force(at: dt.datetime) -> QuerySet[RestrictedEntry]:
    """The entries that bar somebody at `at`."""
    begun = RestrictedEntry.objects.filter(ended_at__isnull=True, starts_at__lte=at)
    return begun.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=at))


def entries_against(player: Player, *, at: dt.datetime) -> Sequence[RestrictedEntry]:
    """The entries that name the player's person, by his document or his address. Erased ones are nobody's."""
    person = Person.objects.filter(user_id=player.user_id).first()
    if person is not None and person.erased_at is not None:
        return ()
    named = Q(email_hash=keyed_hash("email", email_key(player.user.email)))
    if person is not None and person.document_hash:
        named |= Q(document_hash=person.document_hash)
    return list(in_force(at).filter(named).order_by("pk"))


def players_named_by(entry: RestrictedEntry) -> Sequence[Player]:
    """The players whom an entry names, as far as what is known of them tells."""
    named = Q(pk__in=[])
    for column in ("document_hash", "email_hash"):
        value = getattr(entry, column)
        if value:
            named |= Q(**{column: value})
    users = Person.objects.filter(named, erased_at__isnull=True).values("user_id")
    return list(Player.objects.filter(user__in=users).select_related("user").order_by("pk"))


def doubles_of_staff() -> QuerySet[Person]:
    """Who is, by name and birth date or by document, the same person as somebody who works for the house now.

    Also whoever works here himself, where his particulars are known.
    """
    staff = Person.objects.filter(user__is_staff=True, user__is_active=True, erased_at__isnull=True)
    named = staff.exclude(name_hash="").filter(birth_date__isnull=False)
    same_name = Q(name_hash__in=named.values("name_hash")) & Exists(
        named.filter(name_hash=OuterRef("name_hash"), birth_date=OuterRef("birth_date"))
    )
    same_document = Q(document_hash__in=staff.exclude(document_hash="").values("document_hash"))
    return Person.objects.filter(same_name | same_document, erased_at__isnull=True)


def is_double_of_staff(player: Player) -> bool:
    """Whether a member of the staff plays under this login: a private one, of his own particulars.

    Accounts of the house's own, for trying things out, are held by whom the house likes.
    """
    return not player.is_test and doubles_of_staff().filter(user_id=player.user_id).exists()


def players_who_may_be(user: User) -> Sequence[Player]:
    """The players who are this user, or by particulars the same person; by number."""
    person = Person.objects.filter(user=user, erased_at__isnull=True).first()
    users = {user.pk, *(one.user_id for one in (find_duplicates(person) if person is not None else ()))}
    return list(Player.objects.filter(user__in=users).select_related("user").order_by("pk"))


def names_person_of(entry: RestrictedEntry, user: User) -> bool:
    """Whether an entry names who has this login: by what is known of him and his doubles, or of a player it names."""
    person = Person.objects.filter(user=user, erased_at__isnull=True).first()
    known = [] if person is None else [person, *find_duplicates(person)]
    emails = {keyed_hash("email", email_key(user.email)), *(one.email_hash for one in known)}
    if entry.email_hash and entry.email_hash in emails:
        return True
    if entry.document_hash and entry.document_hash in {one.document_hash for one in known}:
        return True
    return any(may_be_same_person(user, player.user) for player in players_named_by(entry))


def search_entries(term: str) -> QuerySet[RestrictedEntry]:
    """The entries for whoever has this whole address, or this whole number of a document; all for no term."""
    if not term.strip():
        return RestrictedEntry.objects.all()
    hashes = {"email_hash": keyed_hash("email", email_key(term))}
    if document_key(term):
        hashes["document_hash"] = keyed_hash("document", document_key(term))
    found = Q(pk__in=[])
    for column, value in hashes.items():
        found |= Q(**{column: value})
    return RestrictedEntry.objects.filter(found)


def is_restricted_by_registry(player: Player) -> bool:
    """Whether it was the registry, and no member of the staff by hand, that restricted the player."""
    changes = StandingChange.objects.filter(player=player, field=StandingField.RESTRICTION)
    last = changes.order_by("-id").first()
    return last is not None and last.after == "true" and last.actor == REGISTRY


def players_to_hold(*, at: dt.datetime) -> QuerySet[Player]:
    """Players who may be restricted against what the registry says at `at`, or free against it."""
    last = StandingChange.objects.filter(player=OuterRef("pk"), field=StandingField.RESTRICTION).order_by("-id")
    players = Player.objects.annotate(last_actor=Subquery(last.values("actor")[:1])).select_related("user")
    may_be_free = Q(is_restricted=True, last_actor=REGISTRY)
    return players.filter(may_be_free | Q(is_restricted=False) & _named(in_force(at))).order_by("pk")


def _named(entries: QuerySet[RestrictedEntry]) -> Q:
    """Players whom one of the entries names, or who are of the staff, under whatever login."""
    named = Person.objects.filter(
        Q(document_hash__in=entries.exclude(document_hash="").values("document_hash"))
        | Q(email_hash__in=entries.exclude(email_hash="").values("email_hash"))
    )
    doubles = Q(user__in=doubles_of_staff().values("user_id"), is_test=False)
    staff = Q(user__in=User.objects.filter(is_staff=True).values("pk"))
    return Q(user__in=named.values("user_id")) | staff | doubles


def find_unrestricted() -> Iterator[str]:
    """Name each player who could play for money although the registry names him, or he is of the staff.

    What has begun within the last hours waits for the sweep that looks every few minutes.
    """
    now = database_now()
    entries = in_force(now).filter(starts_at__lte=now - dt.timedelta(hours=2))
    for player in Player.objects.filter(_named(entries), is_restricted=False).select_related("user").order_by("pk"):
        yield f"player {player.pk}: he is of the staff or named by the registry, and not restricted"
