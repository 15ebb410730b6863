"""Acts that one person asks for and another decides.

An app registers an act with `register`, from the `ready` of its AppConfig: its name, the function that does it, who may
ask and who may decide, and how it is told to people. A request stores the name and JSON arguments. Approving it does
the act in the same transaction, and the act checks its conditions again; if it refuses, the request stays open. The
maker never decides, superusers included, and the database refuses it as well.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import Q, QuerySet

from .audit import actor_of, audited, record, trail_of
from .errors import RuleBroken
from .models import FourEyesRequest, RequestState
from .reasons import clean_reason

VALID_FOR = dt.timedelta(days=7)
MOST_ARGUMENTS = 20
SUBJECT = "request"

Arguments = Mapping[str, Any]


class UnknownAct(RuleBroken):
    """No app has registered an act of this name."""

    code = "unknown_act"
    http_status = 422


class ArgumentsNotUsable(RuleBroken):
    """Arguments are plain values by name: text, whole numbers, yes or no."""

    code = "arguments_not_usable"
    http_status = 422


class NotPermitted(RuleBroken):
    """This person may not ask for the act, or not decide it."""

    code = "not_permitted"
    http_status = 403


class AskedAlready(RuleBroken):
    """The very same waits already, for the same reason and by the same person: a form sent twice is one wish."""

    code = "asked_already"


class MakerDecides(RuleBroken):
    """Who asked for an act is never the one who decides it."""

    code = "maker_decides"
    http_status = 403


class RequestDecided(RuleBroken):
    """A request is answered once."""

    code = "request_decided"


class RequestExpired(RuleBroken):
    """The time for an answer has passed."""

    code = "request_expired"


class NotAskedFor(RuleBroken):
    """The trail does not say that the maker has asked for this: the row came about in another way."""

    code = "not_asked_for"


class ActRefused(RuleBroken):
    """The act's own conditions do not hold (any more); the request stays open."""

    code = "act_refused"


@dataclass(frozen=True)
class Decision:
    """What an act is told of the request that it is done for."""

    request_id: int
    maker: str
    decider: str
    reason: str
    evidence: str
    at: dt.datetime


@dataclass(frozen=True)
class Act:
    """An act that needs two people.

    `run` does it, inside a transaction that is open already, and raises RuleBroken where it must not be done.
    `check` looks at the arguments when the request is made. `check_person` looks at whether this very person may have
    to do with them at all, whether he asks, approves or refuses; `check_maker` and `check_approver` at how much he may
    ask for or approve at that instant, inside the transaction in which it is written down. All raise RuleBroken.
    `describe` says in a sentence what would be done. What `needs_evidence` is not asked for without: otherwise it would
    turn out only when somebody approves it.
    """

    name: str
    title: str
    run: Callable[[Arguments, Decision], object]
    describe: Callable[[Arguments], str]
    may_make: str
    may_decide: str
    check: Callable[[Arguments], None] | None = None
    check_person: Callable[[Arguments, Any], None] | None = None
    check_maker: Callable[[Arguments, Any, dt.datetime], None] | None = None
    check_approver: Callable[[Arguments, Any, dt.datetime], None] | None = None
    needs_evidence: bool = False
    valid_for: dt.timedelta = VALID_FOR


_acts: dict[str, Act] = {}


def register(act: Act) -> None:
    """Make an act known under its name; the same one again changes nothing."""
    standing = _acts.setdefault(act.name, act)
    if standing != act:
        raise ValueError(f"There is an act {act.name} already.")


def find_act(name: str) -> Act:
    """The act of that name; raises UnknownAct."""
    try:
        return _acts[name]
    except KeyError:
        raise UnknownAct(f"There is no act {name!r} here.") from None


def acts_to_make(user: Any) -> list[Act]:
    """The acts that the user may ask for."""
    return [act for act in _acts.values() if user.has_perm(act.may_make)]


def names_to_decide(user: Any) -> list[str]:
    """The names of the acts that the user may decide."""
    return [act.name for act in _acts.values() if user.has_perm(act.may_decide)]


def requests_seen_by(user: Any) -> QuerySet[FourEyesRequest]:
    """The requests that the user may look at: all of them, or those whose act he may ask for or decide."""
    if user.has_perm("common.view_foureyesrequest"):
        return FourEyesRequest.objects.all()
    names = {act.name for act in acts_to_make(user)} | set(names_to_decide(user))
    return FourEyesRequest.objects.filter(Q(act__in=names) | Q(maker=actor_of(user)))


def requests_to_decide(user: Any, *, at: dt.datetime) -> QuerySet[FourEyesRequest]:
    """The open requests that wait for this user's answer."""
    waiting = FourEyesRequest.objects.filter(state=RequestState.OPEN, expires_at__gt=at)
    return waiting.filter(act__in=names_to_decide(user)).exclude(maker=actor_of(user))


def describe(request: FourEyesRequest) -> str:
    """What the request asks for, in a sentence, also where its act is not known any more or cannot be told."""
    try:
        return find_act(request.act).describe(request.arguments)
    except (RuleBroken, ObjectDoesNotExist, LookupError, TypeError, ValueError):
        return f"{request.act} with arguments that cannot be told."


def make_request(
    *, act: str, arguments: Arguments, user: Any, reason: str, at: dt.datetime, evidence: str = ""
) -> FourEyesRequest:
    """Ask for an act that another person decides.

    Raises UnknownAct, NotPermitted, ReasonNotUsable, ArgumentsNotUsable, AskedAlready where the very same waits, and
    what the act's own checks raise.
    """
    known = find_act(act)
    if not (user.is_active and user.has_perm(known.may_make)):
        raise NotPermitted(f"You may not ask for this: {known.title}.")
    reason = clean_reason(reason)
    is_given = known.needs_evidence or bool(evidence.strip())
    evidence = clean_reason(evidence, what="evidence") if is_given else ""
    _check_arguments(arguments)
    if known.check is not None:
        known.check(arguments)
    maker = actor_of(user)
    with audited():
        # Two clicks at once come one after the other.
        get_user_model()._default_manager.select_for_update(no_key=True).get(pk=user.pk)
        waiting = FourEyesRequest.objects.filter(act=act, maker=maker, state=RequestState.OPEN, expires_at__gt=at)
        for one in waiting.order_by("pk"):
            if (one.arguments, one.reason, one.evidence) == (dict(arguments), reason, evidence):
                raise AskedAlready(f"You have asked for this already: request {one.pk} waits.", request=one.pk)
        if known.check_person is not None:
            known.check_person(arguments, user)
        if known.check_maker is not None:
            known.check_maker(arguments, user, at)
        request = FourEyesRequest.objects.create(
            act=act,
            arguments=dict(arguments),
            maker=maker,
            reason=reason,
            evidence=evidence,
            made_at=at,
            expires_at=at + known.valid_for,
        )
        record(
            act="request_made",
            actor=maker,
            subject=(SUBJECT, request.pk),
            after={"act": act, "arguments": dict(arguments), "expires_at": request.expires_at.isoformat()},
            reason=reason,
            at=at,
        )
    return request


def _check_arguments(arguments: Arguments) -> None:
    if len(arguments) > MOST_ARGUMENTS:
        raise ArgumentsNotUsable("These are too many arguments.")
    for name, value in arguments.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentsNotUsable(f"{name!r} names no argument.")
        if (isinstance(value, int) and abs(value) < 2**53) or value is None:
            continue
        if isinstance(value, str) and len(value) <= 500 and "\0" not in value and value.isprintable():
            continue
        raise ArgumentsNotUsable(f"{name} has a value that no request can keep.")


def approve_request(*, request_id: int, user: Any, reason: str, at: dt.datetime) -> FourEyesRequest:
    """Approve a request and do its act, both or neither.

    Raises FourEyesRequest.DoesNotExist, RequestDecided, RequestExpired, MakerDecides, NotPermitted, NotAskedFor,
    ReasonNotUsable, and ActRefused where the act's conditions do not hold: then the request stays open and the trail
    says why.
    """
    try:
        with audited():
            request, act = _lock(request_id=request_id, user=user, at=at)
            if not was_asked_for(request):
                raise NotAskedFor("The audit trail does not say that anybody has asked for this.")
            if act.check_approver is not None:
                act.check_approver(request.arguments, user, at)
            reason = clean_reason(reason)
            _answer(request, RequestState.APPROVED, user=user, reason=reason, at=at)
            _do(act, request)
    except RequestExpired:
        _expire(request_id=request_id, at=at)
        raise
    except ActRefused as refusal:
        with transaction.atomic():
            record(
                act="request_failed",
                actor=actor_of(user),
                subject=(SUBJECT, request_id),
                after={"code": refusal.details["because"]},
                reason=reason,
                at=at,
            )
        raise
    return request


def refuse_request(*, request_id: int, user: Any, reason: str, at: dt.datetime) -> FourEyesRequest:
    """Refuse a request; its act is not done.

    Raises what `approve_request` raises, but for NotAskedFor and ActRefused.
    """
    try:
        with audited():
            request, _ = _lock(request_id=request_id, user=user, at=at)
            _answer(request, RequestState.REFUSED, user=user, reason=clean_reason(reason), at=at)
    except RequestExpired:
        _expire(request_id=request_id, at=at)
        raise
    return request


def _lock(*, request_id: int, user: Any, at: dt.datetime) -> tuple[FourEyesRequest, Act]:
    """Lock the request and see whether this user may answer it now."""
    request = FourEyesRequest.objects.select_for_update(no_key=True).get(pk=request_id)
    act = find_act(request.act)
    if request.maker == actor_of(user):
        raise MakerDecides("You asked for this yourself: another person decides it.")
    if not (user.is_active and user.has_perm(act.may_decide)):
        raise NotPermitted(f"You may not decide this: {act.title}.")
    if request.state != RequestState.OPEN:
        raise RequestDecided(f"This request is {request.get_state_display()} already.")
    if at >= request.expires_at:
        raise RequestExpired("The time for an answer to this request has passed.")
    if act.check_person is not None:
        act.check_person(request.arguments, user)
    return request, act


def was_asked_for(request: FourEyesRequest) -> bool:
    """Whether the trail says that the request's maker has asked for this act with these arguments."""
    return any(
        (entry.after or {}).get("act") == request.act and (entry.after or {}).get("arguments") == request.arguments
        for entry in trail_of(SUBJECT, request.pk).filter(act="request_made", actor=request.maker)
    )


def was_decided_so(request: FourEyesRequest) -> bool:
    """Whether the trail says that the request ended as it stands, and by whom."""
    if request.state == RequestState.OPEN:
        return True
    ended = trail_of(SUBJECT, request.pk).filter(act=f"request_{request.state}", actor=request.decider or "system")
    return ended.exists()


def find_unrecorded() -> Iterator[str]:
    """Name each request that nobody has asked for, or that ended otherwise than the trail says."""
    for request in FourEyesRequest.objects.order_by("pk").iterator(chunk_size=500):
        if not was_asked_for(request):
            yield f"request {request.pk}: no entry says that {request.maker} has asked for it"
        if not was_decided_so(request):
            yield f"request {request.pk}: no entry says that it was {request.state}"


def _answer(request: FourEyesRequest, state: RequestState, *, user: Any, reason: str, at: dt.datetime) -> None:
    request.state, request.decider, request.decision_reason, request.decided_at = state, actor_of(user), reason, at
    request.save(update_fields=["state", "decider", "decision_reason", "decided_at"])
    record(
        act=f"request_{state}",
        actor=actor_of(user),
        subject=(SUBJECT, request.pk),
        before={"state": str(RequestState.OPEN)},
        after={"state": str(state), "act": request.act, "maker": request.maker, "decider": actor_of(user)},
        reason=reason,
        at=at,
    )


def _do(act: Act, request: FourEyesRequest) -> None:
    assert request.decider is not None, "it was answered just now"
    assert request.decided_at is not None, "it was answered just now"
    decision = Decision(
        request_id=request.pk,
        maker=request.maker,
        decider=request.decider,
        reason=request.reason,
        evidence=request.evidence,
        at=request.decided_at,
    )
    try:
        with transaction.atomic():
            act.run(request.arguments, decision)
    except RuleBroken as broken:
        raise ActRefused(broken.message, because=broken.code) from broken


def expire_requests(*, at: dt.datetime) -> int:
    """End every open request whose time has passed, and return how many those were."""
    overdue = FourEyesRequest.objects.filter(state=RequestState.OPEN, expires_at__lte=at)
    return sum(_expire(request_id=pk, at=at) for pk in overdue.order_by("id").values_list("id", flat=True))


def _expire(*, request_id: int, at: dt.datetime) -> bool:
    """End an open request; somebody may have answered it, or ended it, meanwhile."""
    with audited():
        request = FourEyesRequest.objects.select_for_update(no_key=True).get(pk=request_id)
        if request.state != RequestState.OPEN or at < request.expires_at:
            return False
        request.state = RequestState.EXPIRED
        request.save(update_fields=["state"])
        record(
            act="request_expired",
            actor="system",
            subject=(SUBJECT, request.pk),
            before={"state": str(RequestState.OPEN)},
            after={"state": str(RequestState.EXPIRED)},
            at=at,
        )
    return True
