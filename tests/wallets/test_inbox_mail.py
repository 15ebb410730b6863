"""Mail of the inbox: at most once for a message, whatever happens to the worker, and no word of what it says."""

import datetime as dt
import smtplib
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import DatabaseError, transaction

from roulette_site.common.demo_mail import shown_mails
from tests.house import NOON, make_house
from wallets.models import InboxKind, InboxMail, InboxMessage, Player, User
from wallets.services.exclusion import exclude_player
from wallets.services.inbox import tell_player
from wallets.services.inbox_mail import SUBJECTS, mail_inbox, mail_message
from wallets.services.people import record_person

pytestmark = pytest.mark.django_db


def now() -> dt.datetime:
    return NOON


@pytest.fixture
def maria() -> Player:
    player = make_house().player(handle="maria")
    InboxMail.objects.bulk_create(InboxMail(message=one, begun_at=NOON) for one in InboxMessage.objects.all())
    return player


def tell(player: Player, kind: InboxKind = InboxKind.ANSWER, at: dt.datetime = NOON) -> InboxMessage:
    with transaction.atomic():
        return tell_player(player=player, kind=kind, data={"reference": "C-7"}, at=at)


def test_a_mail_says_that_there_is_a_message_and_nothing_of_it(maria: Player) -> None:
    exclude_player(player=maria, ends_at=None, reason="secret", actor="staff:900001", at=NOON)
    message = InboxMessage.objects.latest("pk")
    assert mail_message(message_id=message.pk, now=now) is True
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["maria@test.example"], "A message about your account")
    assert sent.body.split() == [
        "There",
        "is",
        "a",
        "message",
        "for",
        "you.",
        "Read",
        "it",
        "in",
        "your",
        "inbox:",
        "http://127.0.0.1:8000/account/inbox/",
        "Test",
        "House,",
        "Test",
        "House,",
        "S.A.",
        "Help:",
        "help@test.example",
    ]
    row = InboxMail.objects.get(message=message)
    assert (row.begun_at, row.sent_at) == (NOON, NOON)


def test_every_kind_has_a_subject() -> None:
    assert set(SUBJECTS) == set(InboxKind)


def test_a_task_that_runs_twice_mails_once(maria: Player) -> None:
    message = tell(maria)
    assert [mail_message(message_id=message.pk, now=now) for _ in range(3)] == [True, False, False]
    assert mail_inbox(now=now) == 0
    assert len(mail.outbox) == 1


def test_a_worker_that_dies_in_mid_mail_never_makes_a_second(maria: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    message = tell(maria)

    def killed(self: Any, messages: Any) -> int:
        EmailBackend.send_messages(self, messages)
        raise KeyboardInterrupt

    class Dying(EmailBackend):
        send_messages = killed

    monkeypatch.setattr("wallets.services.inbox_mail.get_connection", Dying)
    with pytest.raises(KeyboardInterrupt):
        mail_message(message_id=message.pk, now=now)
    monkeypatch.undo()
    assert InboxMail.objects.get(message=message).sent_at is None
    assert mail_message(message_id=message.pk, now=now) is False
    assert mail_inbox(now=now) == 0
    assert len(mail.outbox) == 1


def test_two_workers_at_once_mail_once(maria: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    message = tell(maria)

    class Overtaken(EmailBackend):
        def open(self) -> None:
            InboxMail.objects.create(message=message, begun_at=NOON)

    monkeypatch.setattr("wallets.services.inbox_mail.get_connection", Overtaken)
    assert mail_message(message_id=message.pk, now=now) is False
    assert mail.outbox == []


def test_a_server_that_does_not_answer_is_tried_again_for_a_day(maria: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down(EmailBackend):
        def open(self) -> None:
            raise smtplib.SMTPConnectError(421, "later, maria@test.example")

    message = tell(maria)
    monkeypatch.setattr("wallets.services.inbox_mail.get_connection", Down)
    with pytest.raises(OSError, match="later"):
        mail_message(message_id=message.pk, now=now)
    assert mail_inbox(now=now) == 0
    assert not InboxMail.objects.filter(message=message).exists()
    monkeypatch.undo()
    assert mail_inbox(now=lambda: NOON + dt.timedelta(days=1, seconds=1)) == 0
    assert mail_inbox(now=lambda: NOON + dt.timedelta(hours=23)) == 1
    assert len(mail.outbox) == 1


def test_nobody_is_written_to_at_an_address_that_may_be_anothers(maria: Player) -> None:
    EmailAddress.objects.filter(user=maria.user).update(verified=False)
    message = tell(maria)
    assert mail_message(message_id=message.pk, now=now) is False
    EmailAddress.objects.filter(user=maria.user).update(verified=True)
    User.objects.filter(pk=maria.user_id).update(email=f"erased-{maria.user_id}@erased.invalid")
    assert mail_message(message_id=message.pk, now=now) is False
    assert mail.outbox == []


def test_a_language_that_the_site_does_not_speak_yet_is_written_to_in_english(maria: Player, settings: Any) -> None:
    record_person(user=maria.user, language="pt", at=NOON)
    mail_message(message_id=tell(maria).pk, now=now)
    assert mail.outbox[0].subject == "An answer for you"


def test_the_demonstration_shows_it_and_sends_none(maria: Player, settings: Any, tmp_path: Any) -> None:
    settings.DEMO_SITE = settings.LOCAL = True
    settings.DEMO_MAIL_DIR = tmp_path
    settings.EMAIL_BACKEND = "roulette_site.common.demo_mail.ShownBackend"
    assert mail_message(message_id=tell(maria).pk, now=now) is True
    assert [(one.to, one.subject) for one in shown_mails()] == [("maria@test.example", "An answer for you")]


def test_what_was_sent_is_kept(maria: Player) -> None:
    mail_message(message_id=tell(maria).pk, now=now)
    for change in (
        lambda: InboxMail.objects.exclude(sent_at=None).update(sent_at=NOON + dt.timedelta(days=1)),
        lambda: InboxMail.objects.update(begun_at=NOON + dt.timedelta(days=1)),
        lambda: InboxMail.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
