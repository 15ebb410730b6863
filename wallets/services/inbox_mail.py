"""Mailing what players are told: that there is a message, and where. What it says stands in the inbox alone.

At most once: before a mail goes out its row is committed, and who finds the row sends nothing. What could go wrong
before that (a server that does not answer) is tried again by the sweep, for a day.
"""

import datetime as dt
import logging
from collections.abc import Callable, Mapping

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from roulette_site.common.models import Operator
from wallets.models import InboxKind, InboxMail, InboxMessage, Person

# Older messages are read in the inbox, or have been.
MAILED_WITHIN = dt.timedelta(days=1)
MAILS_A_SWEEP = 200

# What a mail is headed. Others may see it on a screen: that somebody excluded himself is not for them.
SUBJECTS: Mapping[InboxKind, str | Promise] = {
    InboxKind.IDENTITY: _("A message about your papers"),
    InboxKind.ACCOUNT: _("A message about your account"),
    InboxKind.ADJUSTMENT: _("A message about your balance"),
    InboxKind.CORRECTION: _("A message about your balance"),
    InboxKind.DEPOSIT: _("A message about your balance"),
    InboxKind.WITHDRAWAL: _("A message about your balance"),
    InboxKind.LIMIT: _("A message about your account"),
    InboxKind.LOOSENING: _("A message about your account"),
    InboxKind.EXCLUSION: _("A message about your account"),
    InboxKind.RULES: _("The rules of a table have changed"),
    InboxKind.ANSWER: _("An answer for you"),
    InboxKind.RECEIVABLE: _("A message about your account"),
    InboxKind.PAYOUT_ADDRESS: _("A message about your account"),
}
_log = logging.getLogger(__name__)


def mail_message(*, message_id: int, now: Callable[[], dt.datetime]) -> bool:
    """Mail that there is a message, unless that was begun before; whether it went out.

    It goes to an address that was shown to be the player's, and to nobody whose data were erased. Raises OSError where
    the mail server does not answer: nothing was sent, and it may be tried again.
    """
    message = InboxMessage.objects.select_related("player__user").get(pk=message_id)
    mail = _mail(message)
    if mail is None or InboxMail.objects.filter(message=message).exists():
        return False
    server = get_connection()
    server.open()
    try:
        if not _begin(message, at=now()):
            return False
        server.send_messages([mail])
    finally:
        server.close()
    InboxMail.objects.filter(message=message).update(sent_at=now())
    return True


def mail_inbox(*, now: Callable[[], dt.datetime]) -> int:
    """Mail what no task of its own has mailed; how many went out. One that fails keeps none of the others."""
    waiting = InboxMessage.objects.filter(mail__isnull=True, told_at__gte=now() - MAILED_WITHIN)
    sent = 0
    for message_id in list(waiting.order_by("id").values_list("pk", flat=True)[:MAILS_A_SWEEP]):
        try:
            sent += mail_message(message_id=message_id, now=now)
        except OSError as error:
            # Of smtplib's and the network's alike; addresses are in none of what is logged.
            _log.warning("message %s was not mailed: %s", message_id, type(error).__name__)
    return sent


def _begin(message: InboxMessage, *, at: dt.datetime) -> bool:
    """Take the mail in hand; False where another worker has."""
    try:
        # Durable: what another transaction may still undo would let the mail go out again.
        with transaction.atomic(durable=True):
            InboxMail.objects.create(message=message, begun_at=at)
    except IntegrityError:
        return False
    return True


def _mail(message: InboxMessage) -> EmailMessage | None:
    user = message.player.user
    if not EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True).exists():
        return None
    with translation.override(_language_of(user.pk)):
        operator = Operator.objects.first()
        context = {"operator": operator, "address": f"{settings.SITE_URL}{reverse('inbox')}"}
        body = render_to_string("wallets/email/inbox_message.txt", context)
        subject = str(SUBJECTS[InboxKind(message.kind)])
    return EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [user.email])


def _language_of(user_id: int) -> str:
    """The player's own language where the site speaks it."""
    language = Person.objects.filter(user_id=user_id).values_list("language", flat=True).first()
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
