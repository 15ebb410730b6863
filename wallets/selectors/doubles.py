"""Accounts that may be the same person's: by name and birth date, by document, or by where they are paid out to."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from wallets.models import Account, PayoutAddress, Person, Player, Standing

# So many of a kind are looked up at once; who sees more has other work than reading on.
MOST_GROUPS = 200


@dataclass(frozen=True)
class Doubles:
    """Players who share something, and what it is; the thing itself is kept by keyed hash alone."""

    what: str
    players: Sequence[Player]


def find_doubles() -> list[Doubles]:
    """Every group of players who share what one person has, and of whom two at least still have an account."""
    return list(_groups())


def excluded_among(groups: Iterable[Doubles], *, at: dt.datetime) -> set[int | None]:
    """The numbers of the players among them who are excluded."""
    players = {player.pk for group in groups for player in group.players}
    found = Account.objects.filter(player__in=players, excluded_until__gt=at)
    return set(found.values_list("player_id", flat=True))


def _groups() -> Iterator[Doubles]:
    people = Person.objects.filter(erased_at__isnull=True, user__player__isnull=False)
    named = people.exclude(name_hash="").filter(birth_date__isnull=False)
    yield from _shared("the same name and birth date", named, ("name_hash", "birth_date"), "user__player")
    documented = people.exclude(document_hash="")
    yield from _shared("the same document", documented, ("document_hash",), "user__player")
    paid = PayoutAddress.objects.filter(erased_at__isnull=True).exclude(iban_hash="")
    yield from _shared("the same payout address", paid, ("iban_hash",), "player")


def _shared(what: str, rows: QuerySet[Any], by: Sequence[str], to: str) -> Iterator[Doubles]:
    """Two statements, however many there are: what is shared, and by whom."""
    shared = rows.order_by().values_list(*by).annotate(count=Count(to, distinct=True)).filter(count__gt=1)
    keys = [one[: len(by)] for one in shared.order_by(*by)[:MOST_GROUPS]]
    if not keys:
        return
    wanted = Q(pk__in=[])
    for key in keys:
        wanted |= Q(**dict(zip(by, key, strict=True)))
    members: dict[tuple[object, ...], set[int]] = defaultdict(set)
    for *key, player_id in rows.filter(wanted).order_by().values_list(*by, to).distinct():
        members[tuple(key)].add(player_id)
    players = Player.objects.in_bulk(list({pk for group in members.values() for pk in group}))
    for group in members.values():
        found = [players[pk] for pk in sorted(group)]
        if _are_in_use(found):
            yield Doubles(what, found)


def _are_in_use(players: Iterable[Player]) -> bool:
    return sum(one.standing != Standing.CLOSED for one in players) > 1
