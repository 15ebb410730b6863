"""Asking a register of excluded people: which one, and for how long an answer is waited for."""

import logging
import queue
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Thread

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from wallets.registers import Answer, FileRegister, Register, RegisterState, Reply, Subject, find_register

NONE = "none"
# A register that hangs holds so many of our threads at most.
MOST_AT_ONCE = 16
LONGEST_EDITION = 64

_at_once = BoundedSemaphore(MOST_AT_ONCE)
logger = logging.getLogger(__name__)


def current_register() -> Register | None:
    """The register that the house asks; None where the settings switch it off. Raises ImproperlyConfigured."""
    code = settings.EXCLUSION_REGISTER
    if code == NONE:
        return None
    if code == FileRegister.code:
        return _file_register(str(settings.EXCLUSION_REGISTER_FILE))
    found = find_register(code)
    if found is None:
        raise ImproperlyConfigured(f"EXCLUSION_REGISTER names no register: {code!r}.")
    return found


@cache
def _file_register(path: str) -> Register:
    """One for each path, since it keeps what it has read."""
    return FileRegister(Path(path))


def ask(register: Register, subject: Subject) -> Reply:
    """Ask, and wait for REGISTER_SECONDS at most; whatever is no answer in time is UNKNOWN. Never raises.

    An answer that comes too late is thrown away: the next question gets one of its own.
    """
    if not subject.particulars:
        return Reply(Answer.UNKNOWN, why="nothing is known by which to ask")
    try:
        reply = _in_time(lambda: register.ask(subject))
    except _NoAnswer as error:
        reply = Reply(Answer.UNKNOWN, why=str(error))
    if not isinstance(reply, Reply) or not _is_usable(reply):
        reply = Reply(Answer.UNKNOWN, why="the answer was none")
    if reply.answer is Answer.UNKNOWN:
        logger.warning("The register %s gives no answer: %s.", register.code, reply.why)
    return reply


def state_of(register: Register) -> RegisterState:
    """Say how the register stands, as far as it tells within REGISTER_SECONDS. Never raises."""
    try:
        state = _in_time(register.state)
    except _NoAnswer as error:
        state = RegisterState(is_ready=False, why=str(error))
    return state if isinstance(state, RegisterState) else RegisterState(is_ready=False, why="the answer was none")


class _NoAnswer(Exception):
    """Nothing came in time; the message says why."""


def _in_time(call: Callable[[], object]) -> object:
    """What the call returns, from a thread of its own that touches no row of ours; raises _NoAnswer."""
    if not _at_once.acquire(timeout=settings.REGISTER_SECONDS):
        raise _NoAnswer("too many questions have no answer yet")
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(call())
        except Exception as error:
            # The kind alone: the message of another's error may repeat who was asked about.
            answers.put(_NoAnswer(f"{type(error).__name__} was raised"))
        finally:
            _at_once.release()

    Thread(target=work, name="register", daemon=True).start()
    try:
        answer = answers.get(timeout=settings.REGISTER_SECONDS)
    except queue.Empty:
        raise _NoAnswer(f"no answer came within {settings.REGISTER_SECONDS} s") from None
    if isinstance(answer, _NoAnswer):
        raise answer
    return answer


def _is_usable(reply: Reply) -> bool:
    return (
        isinstance(reply.answer, Answer)
        and isinstance(reply.edition, str)
        and len(reply.edition) <= LONGEST_EDITION
        and reply.edition.isprintable()
    )
