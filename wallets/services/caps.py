"""What one member of the staff may do about players' money: by his role, within a gaming day, never for himself.

The day's amount is no counter of its own. It is read from what cannot be edited: the requests that he asked for or
decided, and the entries of the audit trail for what he did alone. Who looks holds his own row until he has written.
"""

import datetime as dt
from collections.abc import Collection, Iterable
from enum import StrEnum
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from roulette_site.common.errors import RuleBroken
from roulette_site.common.gaming_day import GamingDayRule
from roulette_site.common.models import AuditEntry, FourEyesRequest, Operator, RequestState
from roulette_site.common.models.operator import six_in_the_morning
from wallets.models import DecidedAct, Player, User
from wallets.selectors.people import may_be_same_person

# What somebody of a role may do about money in one gaming day; of several roles the highest holds, and nobody else may
# do anything at all.
CAPS_CENTS = {"Finance": 500_00}
# The acts for two people that are never more than the cap (wallets/acts registers them).
CAPPED_ACTS = (DecidedAct.ADJUST,)
# What the trail calls the acts that one person does alone within his cap; each entry says `amount_cents`, and
# `second_actor` where there was one after all.
ALONE = ("payment_told",)


class AboveCap(RuleBroken):
    """The amount, with what this person did before on this gaming day, is more than his role may do."""

    code = "above_cap"


class NeedsSecondPerson(RuleBroken):
    """More than one person may do by himself in a day is asked for by one and decided by another."""

    code = "needs_second_person"


class OwnBenefit(RuleBroken):
    """Whose account it is neither asks for an act on it nor decides it, under whatever account he does so."""

    code = "own_benefit"
    http_status = 403


class Part(StrEnum):
    """What somebody does about an act for which there is a cap."""

    MAKES = "makes"
    DECIDES = "decides"


def check_cap(*, actor: str, amount_cents: int, part: Part, at: dt.datetime) -> None:
    """Raise AboveCap where the actor's role, or what he did before on this day, leaves less than the amount.

    Needs the transaction in which the act is written down: it holds the actor's row, so that two acts of his at the
    same moment do not both find room.
    """
    cap, left = cap_of(actor), left_cents(actor=actor, part=part, at=at)
    if amount_cents > left:
        raise AboveCap(
            "This is more than you may adjust, confirm or decide on one day.", cap_cents=cap, left_cents=left
        )


def check_alone(*, actor: str, second_actor: str, amount_cents: int, at: dt.datetime) -> None:
    """Let pass what a second person has decided, and what the day leaves the actor to do by himself.

    Raises NeedsSecondPerson. Needs the transaction in which the act is recorded, by one of the names of ALONE.
    """
    if second_actor in ("", actor) and amount_cents > left_cents(actor=actor, part=Part.MAKES, at=at):
        raise NeedsSecondPerson("This is more than you may do alone today: another person decides it.")


def cap_of(actor: str) -> int:
    """The most that the actor's roles let him do in one gaming day; nothing for who is none of the staff."""
    user = _user_of(actor)
    roles = set() if user is None else set(user.groups.values_list("name", flat=True))
    return max((CAPS_CENTS.get(role, 0) for role in roles), default=0)


def left_cents(*, actor: str, part: Part, at: dt.datetime) -> int:
    """What the day leaves the actor of his cap for that part; needs a transaction, and holds his row."""
    assert connection.in_atomic_block, "what is counted must not change before the act is written down"
    user = _user_of(actor)
    if user is not None:
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
    since, until = _gaming_day(at)
    used = _decided(actor, since, until) if part == Part.DECIDES else _made(actor, since, until)
    return max(cap_of(actor) - used, 0)


def check_independent(*, player: Player, actors: Collection[str]) -> None:
    """Raise OwnBenefit where one of the actors is the player, or may be the same person as he by what is known.

    Raises it too where two of the actors may be one person: four eyes are two people's.
    """
    check_not_oneself(user=player.user, actors=actors)
    check_two_people(actors)


def check_not_oneself(*, user: User, actors: Collection[str]) -> None:
    """Raise OwnBenefit where one of the actors is this user, or may be the same person by what is known."""
    if any(may_be_same_person(one, user) for one in users_of(actors)):
        raise OwnBenefit("This account is your own, or that of somebody whose particulars are yours.")


def check_two_people(actors: Collection[str]) -> None:
    """Raise OwnBenefit where two of the actors may be one person by what is known."""
    users = users_of(actors)
    if any(may_be_same_person(*pair) for pair in pairwise(users)):
        raise OwnBenefit("Those who ask and decide have the particulars of one person.")


def _made(actor: str, since: dt.datetime, until: dt.datetime) -> int:
    """What he asked for, unless it was refused or has expired, and what he did alone."""
    asked = FourEyesRequest.objects.filter(
        act__in=CAPPED_ACTS,
        maker=actor,
        made_at__gte=since,
        made_at__lt=until,
        state__in=(RequestState.OPEN, RequestState.APPROVED),
    )
    alone = AuditEntry.objects.filter(actor=actor, act__in=ALONE, at__gte=since, at__lt=until)
    return _sum(asked.values_list("arguments", flat=True)) + _sum(
        after for after in alone.values_list("after", flat=True) if after and not after.get("second_actor")
    )


def _decided(actor: str, since: dt.datetime, until: dt.datetime) -> int:
    decided = FourEyesRequest.objects.filter(
        act__in=CAPPED_ACTS,
        decider=actor,
        decided_at__gte=since,
        decided_at__lt=until,
        state=RequestState.APPROVED,
    )
    return _sum(decided.values_list("arguments", flat=True))


def _sum(said: Iterable[Any]) -> int:
    return sum(one["amount_cents"] for one in said)


def users_of(actors: Collection[str]) -> list[User]:
    """The users behind these actors, as far as they are of the staff: a key or the system is nobody."""
    return [user for user in map(_user_of, actors) if user is not None]


def _user_of(actor: str) -> User | None:
    kind, _, number = actor.partition(":")
    if kind != "staff" or not number.isdecimal():
        return None
    return User.objects.filter(pk=int(number)).first()


def _gaming_day(at: dt.datetime) -> tuple[dt.datetime, dt.datetime]:
    operator = Operator.objects.first()
    rule = operator.gaming_day_rule if operator else GamingDayRule(ZoneInfo("UTC"), six_in_the_morning())
    return rule.bounds_of(rule.day_of(at))
