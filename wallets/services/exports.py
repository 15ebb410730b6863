"""Putting on record that what is held about somebody was given out."""

import datetime as dt

from roulette_site.common.audit import audited, record
from roulette_site.common.reasons import clean_reason
from wallets.models import PersonAct, PersonActKind, User


def note_export(*, user: User, actor: str, reason: str, at: dt.datetime) -> PersonAct:
    """Note who was given what is held about the user, and why. Raises ReasonMissing or ReasonNotUsable."""
    said = clean_reason(reason)
    with audited():
        act = PersonAct.objects.create(user=user, kind=PersonActKind.EXPORTED, actor=actor, reason=said, at=at)
        record(act="person_exported", actor=actor, subject=("user", user.pk), reason=said, at=at)
        return act
