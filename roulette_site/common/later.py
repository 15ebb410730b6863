"""Work for later: sent when the database transaction has committed, and never the only way that a thing gets done."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from celery import current_app
from django.db import transaction

_muted = ContextVar("muted", default=False)


def after_commit(task: str, queue: str, **kwargs: Any) -> None:
    """Send the named task once what was written is there for its worker to see.

    A broker that is down does not undo what was committed: the failure is logged, and the sweep moves on whatever is
    overdue. Tasks are named, not imported, because services stand below the doors that run them.
    """
    if _muted.get():
        return
    transaction.on_commit(
        lambda: current_app.send_task(task, kwargs=kwargs, queue=queue, retry=False, ignore_result=True), robust=True
    )


@contextmanager
def muted() -> Iterator[None]:
    """Send nothing from inside: for a caller that takes every step by itself, such as the demonstration's past."""
    token = _muted.set(True)
    try:
        yield
    finally:
        _muted.reset(token)
