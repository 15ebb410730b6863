"""The registry of restricted persons: who may not play for money because of who he is, a player yet or not."""

import datetime as dt
from collections.abc import Collection

from django.conf import settings
from django.db.models import Q

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import Player, RestrictedEntry, RestrictedKind, User
from wallets.personal import check_document_number, document_key, email_key
from wallets.sealing import keyed_hash
from wallets.selectors.restricted import names_person_of, players_named_by, players_to_hold

from .caps import OwnBenefit, check_two_people, users_of
from .people import check_email
from .standing import hold_to_registry

SUBJECT = "restricted_entry"


class NobodyNamed(RuleBroken):
    """An entry names somebody by the number of a document, an address, or both."""

    code = "nobody_named"
    http_status = 422


class NoSuchTime(RuleBroken):
    """An entry ends later than it begins, and has not ended when it is made."""

    code = "no_such_time"
    http_status = 422


class AlreadyEntered(RuleBroken):
    """An entry of this kind bars the same person already."""

    code = "already_entered"


class EntryEnded(RuleBroken):
    """The entry bars nobody any more."""

    code = "entry_ended"


class TwoPeopleNeeded(RuleBroken):
    """Who may not play for money is let do so by two people."""

    code = "two_people_needed"


def add_entry(
    *,
    kind: RestrictedKind,
    document_number: str,
    email: str,
    reason: str,
    actor: str,
    at: dt.datetime,
    starts_at: dt.datetime | None = None,
    ends_at: dt.datetime | None = None,
) -> RestrictedEntry:
    """Enter a person, from now on or a later day, and restrict the players who are he.

    He is kept by keyed hashes alone, and the reason must name nobody. Raises NobodyNamed, DocumentRefused,
    EmailRefused, ReasonNotUsable, NoSuchTime, AlreadyEntered.
    """
    reason = clean_reason(reason)
    if not (document_number.strip() or email.strip()):
        raise NobodyNamed("Give the number of a document, an e-mail address, or both.")
    document = document_key(check_document_number(document_number)) if document_number.strip() else ""
    address = check_email(email) if email.strip() else ""
    hashes = {
        "document_hash": keyed_hash("document", document),
        "email_hash": keyed_hash("email", email_key(address)),
    }
    begins_at = max(starts_at or at, at)
    if ends_at is not None and ends_at <= begins_at:
        raise NoSuchTime("An entry ends later than it begins, and later than now.")
    with audited():
        _refuse_a_second(kind, hashes, at)
        entry = RestrictedEntry.objects.create(
            kind=kind,
            **hashes,
            reason=reason,
            starts_at=begins_at,
            ends_at=ends_at,
            actor=actor,
            entered_at=at,
        )
        players = {player.pk: player for player in players_named_by(entry)}
        # Who came without particulars beside his address.
        for user in User.objects.filter(email__iexact=address) if address else ():
            players |= {player.pk: player for player in Player.objects.filter(user=user)}
        for player in players.values():
            hold_to_registry(player=player, at=at)
        record(
            act="restricted_entered",
            actor=actor,
            subject=(SUBJECT, entry.pk),
            after={"kind": str(kind), "ends_at": None if ends_at is None else ends_at.isoformat()},
            reason=reason,
            at=at,
        )
        return entry


def end_entry(*, entry_id: int, reason: str, actor: str, second_actor: str, at: dt.datetime) -> RestrictedEntry:
    """End an entry, two people, and let the players whom no other one names play for money again.

    Neither of them is whom it names. Raises RestrictedEntry.DoesNotExist, ReasonNotUsable, TwoPeopleNeeded, EntryEnded,
    OwnBenefit.
    """
    reason = clean_reason(reason)
    if not actor or not second_actor or actor == second_actor:
        raise TwoPeopleNeeded("An entry is ended by two people.")
    with audited():
        entry = RestrictedEntry.objects.select_for_update(no_key=True).get(pk=entry_id)
        if entry.ended_at is not None:
            raise EntryEnded("This entry has ended already.")
        check_not_named(entry=entry, actors=(actor, second_actor))
        entry.ended_at, entry.end_reason = at, reason
        entry.end_actor, entry.end_second_actor = actor, second_actor
        entry.save(update_fields=["ended_at", "end_actor", "end_second_actor", "end_reason"])
        for player in players_named_by(entry):
            hold_to_registry(player=player, at=at)
        record(
            act="restricted_ended",
            actor=actor,
            subject=(SUBJECT, entry.pk),
            after={"second_actor": second_actor},
            reason=reason,
            at=at,
        )
        return entry


def check_not_named(*, entry: RestrictedEntry, actors: Collection[str]) -> None:
    """Raise OwnBenefit where one of the actors may be the person of the entry, or two of them one person."""
    if any(names_person_of(entry, user) for user in users_of(actors)):
        raise OwnBenefit("This entry names you, or somebody whose particulars are yours.")
    check_two_people(actors)


def keep_restrictions(*, at: dt.datetime) -> int:
    """Hold players to entries that have begun or run out since, and to what changed unseen; how many were changed."""
    changed = 0
    for player in players_to_hold(at=at):
        changed += hold_to_registry(player=player, at=at).is_restricted != player.is_restricted
    return changed


def forget_ended(*, at: dt.datetime) -> int:
    """Blank whom the entries named that ended longer ago than data are kept; how many there were."""
    before = at - dt.timedelta(days=settings.RETENTION_DAYS)
    ended = RestrictedEntry.objects.filter(Q(ended_at__lte=before) | Q(ends_at__lte=before))
    return ended.exclude(document_hash="", email_hash="").update(document_hash="", email_hash="")


def _refuse_a_second(kind: RestrictedKind, hashes: dict[str, str], at: dt.datetime) -> None:
    """The same person, by whatever he was named, is entered once for one kind of bar; also with a later beginning."""
    named = Q(pk__in=[])
    for column, value in hashes.items():
        if value:
            named |= Q(**{column: value})
    standing = RestrictedEntry.objects.filter(named, kind=kind, ended_at__isnull=True)
    first = standing.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=at)).order_by("pk").first()
    if first is not None:
        raise AlreadyEntered(f"Entry {first.pk} of this kind names the same person.", entry=first.pk)
