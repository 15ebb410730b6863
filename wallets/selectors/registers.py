"""What registers have said of players, and as whom a player is asked about."""

import datetime as dt
import logging
from collections.abc import Iterator

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db.models import OuterRef, Q, QuerySet, Subquery

from roulette_site.common.verification import differences
from wallets.models import (
    DEFINITE_ANSWERS,
    Account,
    Exclusion,
    ExclusionKind,
    Person,
    Player,
    RegisterAnswer,
    RegisterCheck,
    Standing,
)
from wallets.personal import document_key, name_key
from wallets.registers import Subject
from wallets.sealing import unseal

logger = logging.getLogger(__name__)


def subject_of(player: Player) -> Subject:
    """The player as a register is asked about him: by what is known of him now, which may be nothing."""
    person = Person.objects.filter(user_id=player.user_id, erased_at__isnull=True).select_related("user").first()
    if person is None:
        return Subject()
    document = ""
    if person.document_number_sealed:
        try:
            document = document_key(unseal(person.document_number_sealed))
        except InvalidToken:
            logger.error("The document of person %s was sealed under another key.", person.pk)
    return Subject(document_key=document, name_key=name_key(person.user.full_name), birth_date=person.birth_date)


def last_check(player: Player) -> RegisterCheck | None:
    """The latest question about the player, whatever came of it."""
    return _of(player).first()


def last_answer(player: Player) -> RegisterCheck | None:
    """The latest question about the player that was answered: with this the house goes."""
    return _of(player).filter(answer__in=DEFINITE_ANSWERS).first()


def unchecked_from(player: Player) -> dt.datetime | None:
    """From when on the player's bets for money wait for the register; None: nobody asks about him.

    That is when the last answer is good no longer. Where none ever came, it is when it was asked for first.
    """
    last = last_check(player)
    if last is None or last.answer == RegisterAnswer.OFF:
        return None
    answered = last_answer(player)
    if answered is not None:
        return answered.good_until
    return RegisterCheck.objects.filter(player=player).order_by("asked_at").values_list("asked_at", flat=True)[0]


def is_checked(player: Player, *, at: dt.datetime) -> bool:
    """Whether the house has an answer about the player that is good at `at`."""
    answered = last_answer(player)
    return answered is not None and answered.good_until is not None and at < answered.good_until


def open_register_exclusion(player: Player) -> Exclusion | None:
    """The exclusion by the register that holds, if one does."""
    found = Exclusion.objects.filter(player=player, kind=ExclusionKind.REGISTER, early_end__isnull=True)
    return found.order_by("-id").first()


def players_to_recheck(*, at: dt.datetime, edition: str, everybody: bool) -> QuerySet[Player]:
    """Players of whom the last answer is old, or of another edition of the register than `edition` ("": any)."""
    players = Player.objects.exclude(standing=Standing.CLOSED).order_by("pk")
    if everybody:
        return players
    answers = RegisterCheck.objects.filter(player=OuterRef("pk"), answer__in=DEFINITE_ANSWERS)
    answers = answers.order_by("-asked_at", "-id")
    before = at - dt.timedelta(hours=settings.REGISTER_ASK_AGAIN_HOURS)
    is_old = Q(last_asked_at__isnull=True) | Q(last_asked_at__lte=before)
    if edition:
        is_old |= ~Q(last_edition=edition)
    return players.annotate(
        last_asked_at=Subquery(answers.values("asked_at")[:1]), last_edition=Subquery(answers.values("edition")[:1])
    ).filter(is_old)


def players_held_to_a_register() -> QuerySet[Player]:
    """Players whose bets wait for a register's answers."""
    held = Account.objects.filter(unchecked_from__isnull=False).values("player_id")
    return Player.objects.filter(pk__in=held).order_by("pk")


def _of(player: Player) -> QuerySet[RegisterCheck]:
    return RegisterCheck.objects.filter(player=player).order_by("-asked_at", "-id")


_ANSWERS = """
WITH answers AS (
  SELECT c.*, row_number() OVER (PARTITION BY c.player_id ORDER BY c.asked_at DESC, c.id DESC) AS place
  FROM wallets_registercheck c WHERE c.answer IN ('listed', 'not_listed')
)
"""
# Whom the register lists is excluded by it, and nobody else is without its having said so.
_LISTED = f"""{_ANSWERS}
SELECT a.player_id, a.id FROM answers a WHERE a.place = 1 AND a.answer = 'listed' AND NOT EXISTS (
  SELECT 1 FROM wallets_exclusion e LEFT JOIN wallets_exclusionend x ON x.exclusion_id = e.id
  WHERE e.player_id = a.player_id AND e.kind = 'register' AND x.exclusion_id IS NULL
) ORDER BY 1
"""
_UNLISTED = """
SELECT e.player_id, e.id FROM wallets_exclusion e WHERE e.kind = 'register' AND NOT EXISTS (
  SELECT 1 FROM wallets_registercheck c
  WHERE c.player_id = e.player_id AND c.answer = 'listed' AND c.asked_at = e.starts_at
) ORDER BY 2
"""
# How the trail tells of a question, and of what.
ASKED, CHECKED = "register_asked", "register_check"
_NEVER_ASKED = f"""
SELECT c.player_id, c.id FROM wallets_registercheck c WHERE NOT EXISTS (
  SELECT 1 FROM common_auditentry e WHERE e.subject_kind = '{CHECKED}' AND e.subject_id = CAST(c.id AS text)
    AND e.act = '{ASKED}'
) ORDER BY 2
"""
_FREED = """
SELECT e.player_id, e.id FROM wallets_exclusion e JOIN wallets_exclusionend x ON x.exclusion_id = e.id
WHERE e.kind = 'register' AND NOT EXISTS (
  SELECT 1 FROM wallets_registercheck c
  WHERE c.player_id = e.player_id AND c.answer = 'not_listed' AND c.is_whole AND c.asked_at = x.ends_at
) ORDER BY 2
"""


def find_wrong_register_exclusions() -> Iterator[str]:
    """Name each player who is excluded by the register, or not, against what it answered."""
    yield from differences(_LISTED, [], "player {0}: check {1} found him listed, and no exclusion holds")
    yield from differences(_UNLISTED, [], "player {0}: exclusion {1} stands on no answer of the register")
    yield from differences(_FREED, [], "player {0}: exclusion {1} was ended without an answer of the register")
    yield from differences(_NEVER_ASKED, [], "player {0}: check {1} is an answer to a question that nobody asked")
