"""Holding players to the register of excluded people: when it is asked, what is kept, and what follows.

A question and its answer are an appended row. Who is listed gets an exclusion, which the register alone ends. While it
gives no answer nobody begins: no identity is verified and no bet for money taken of whom it has never answered about,
or too long ago; who was answered about lately goes on (docs/decisions/0015-registers.md).
"""

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Callable, Iterator

from django.conf import settings

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from wallets.models import Exclusion, Player, RegisterAnswer, RegisterCheck, RegisterOccasion
from wallets.registers import Answer, Reply, Subject
from wallets.selectors.people import accounts_of
from wallets.selectors.registers import (
    ASKED,
    CHECKED,
    is_checked,
    last_answer,
    last_check,
    open_register_exclusion,
    players_held_to_a_register,
    players_to_recheck,
    subject_of,
)

from .doubles import hold_doubles
from .exclusion import exclude_by_register, lift_by_register
from .gates import lock_player, lock_players, refresh_gates
from .register_asking import NONE, ask, current_register, state_of

PLAYERS_AT_ONCE = 500
# After so many questions without an answer a run gives up, and the next one begins where it stood.
MOST_UNANSWERED = 5


class RegisterUnknown(RuleBroken):
    """The register of excluded people has to answer before somebody begins, and does not."""

    code = "register_unknown"


def check_player(
    *, player: Player, occasion: RegisterOccasion, at: dt.datetime, batch: str = ""
) -> RegisterCheck | None:
    """Ask the register about the player now, keep its answer, and hold him to it; None where none is asked.

    Call it outside of transactions: an answer may take seconds.
    """
    register = current_register()
    if register is None:
        return _note_that_none_is_asked(player, occasion, at, batch)
    subject = subject_of(player)
    reply = ask(register, subject)
    return _take(player, register.code, subject, reply, occasion=occasion, at=at, batch=batch)


def check_if_due(*, player: Player, occasion: RegisterOccasion, at: dt.datetime) -> None:
    """Ask about the player where the last answer is older than REGISTER_ASK_AGAIN_HOURS. Never raises RuleBroken."""
    answered = last_answer(player)
    again = dt.timedelta(hours=settings.REGISTER_ASK_AGAIN_HOURS)
    if current_register() is None or answered is None or at >= answered.asked_at + again:
        check_player(player=player, occasion=occasion, at=at)


def check_for_verification(*, player: Player, at: dt.datetime) -> None:
    """Ask about a player whose identity is about to be verified, and hold him to what holds for his other accounts.

    Raises RegisterUnknown where no good answer is to be had. Who is listed is verified: who he is was found out, he is
    excluded all the same, and is paid out only when he is verified.
    """
    hold_doubles(player=player, at=at)
    check_player(player=player, occasion=RegisterOccasion.VERIFICATION, at=at)
    if current_register() is not None and not is_checked(player, at=at):
        raise RegisterUnknown("The register of excluded people gives no answer: nobody is verified before it does.")


def recheck_players(*, now: Callable[[], dt.datetime], everybody: bool = False) -> Counter[str]:
    """Ask anew about players whose last answer is old or of an older edition, or about everybody; counts of answers.

    A register that does not answer ends the run: the counter then has an entry "given_up".
    """
    counts: Counter[str] = Counter()
    batch = uuid.uuid4().hex
    register = current_register()
    if register is None:
        for player in players_held_to_a_register():
            check_player(player=player, occasion=RegisterOccasion.RECHECK, at=now(), batch=batch)
            counts[RegisterAnswer.OFF] += 1
        return counts
    state = state_of(register)
    if not state.is_ready:
        # Who comes to play meanwhile is asked about then.
        counts["given_up"] += 1
        return counts
    unanswered = 0
    for player in _each_to_recheck(now(), state.edition, everybody):
        if not _is_worth_asking(player):
            continue
        check = check_player(player=player, occasion=RegisterOccasion.RECHECK, at=now(), batch=batch)
        if check is None:
            # Somebody switched the register off meanwhile.
            break
        counts[check.answer] += 1
        is_without_answer = check.answer == RegisterAnswer.UNKNOWN and (check.by_document or check.by_name)
        unanswered = unanswered + 1 if is_without_answer else 0
        if unanswered == MOST_UNANSWERED:
            counts["given_up"] += 1
            break
    return counts


def _each_to_recheck(at: dt.datetime, edition: str, everybody: bool) -> Iterator[Player]:
    """In portions, each read when it comes to it: thousands of questions take a while."""
    last = 0
    while portion := list(
        players_to_recheck(at=at, edition=edition, everybody=everybody).filter(pk__gt=last)[:PLAYERS_AT_ONCE]
    ):
        yield from portion
        last = portion[-1].pk


def _is_worth_asking(player: Player) -> bool:
    """Whether there is something to ask by, or it was not noted yet that there is nothing."""
    if subject_of(player).particulars:
        return True
    last = last_check(player)
    return last is None or last.answer != RegisterAnswer.UNKNOWN or last.by_document or last.by_name


def _note_that_none_is_asked(
    player: Player, occasion: RegisterOccasion, at: dt.datetime, batch: str
) -> RegisterCheck | None:
    """Let a player go on whose bets waited for a register that is switched off now, and keep that it is."""
    last = last_check(player)
    if last is None or last.answer == RegisterAnswer.OFF:
        return None
    with audited():
        player = lock_player(player)
        check = RegisterCheck.objects.create(
            player=player, asked_at=at, occasion=occasion, register=NONE, answer=RegisterAnswer.OFF, batch=batch
        )
        _record(check)
        refresh_gates(player)
        return check


def _take(
    player: Player,
    register: str,
    subject: Subject,
    reply: Reply,
    *,
    occasion: RegisterOccasion,
    at: dt.datetime,
    batch: str,
) -> RegisterCheck:
    """Keep an answer and hold the player to it, unless a later question was answered meanwhile."""
    is_definite = reply.answer is not Answer.UNKNOWN
    with audited():
        # His doubles with him, in one order: what the register says of him is carried over to them.
        lock_players(accounts_of(player))
        player = lock_player(player)
        # Who has no account yet is locked by himself, so that two answers at once exclude him once.
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        check = RegisterCheck.objects.create(
            player=player,
            asked_at=at,
            occasion=occasion,
            register=register,
            edition=reply.edition,
            answer=RegisterAnswer(reply.answer.value),
            by_document="document" in subject.particulars,
            by_name="name" in subject.particulars,
            is_whole=reply.is_whole,
            good_until=at + dt.timedelta(hours=settings.REGISTER_GOOD_FOR_HOURS) if is_definite else None,
            batch=batch,
        )
        _record(check)
        if is_definite and last_answer(player) == check:
            _hold(player, check)
        refresh_gates(player)
        return check


def _record(check: RegisterCheck) -> None:
    """Let the trail say that the question was asked, which is how `verify` tells an answer from a row put in by hand.

    There are as many as players log in, so no trigger notes them besides.
    """
    record(
        act=ASKED,
        actor=f"register:{check.register}",
        subject=(CHECKED, check.pk),
        after={"player": check.player_id, "occasion": str(check.occasion), "answer": str(check.answer)},
        at=check.asked_at,
    )


def _hold(player: Player, check: RegisterCheck) -> None:
    exclusion = open_register_exclusion(player)
    actor = f"register:{check.register}"
    if check.answer == RegisterAnswer.LISTED and exclusion is None:
        exclude_by_register(player=player, actor=actor, at=check.asked_at)
    elif check.answer == RegisterAnswer.NOT_LISTED and exclusion is not None and _frees(check, exclusion):
        lift_by_register(exclusion=exclusion, actor=actor, at=check.asked_at)


def _frees(check: RegisterCheck, exclusion: Exclusion) -> bool:
    """Whether the answer is about all by which the player was found listed, and from a register read as a whole."""
    listed = RegisterCheck.objects.filter(
        player_id=exclusion.player_id, answer=RegisterAnswer.LISTED, asked_at=exclusion.starts_at
    ).first()
    if listed is None or not check.is_whole:
        return False
    return check.by_document >= listed.by_document and check.by_name >= listed.by_name
