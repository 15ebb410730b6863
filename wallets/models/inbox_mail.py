from django.db import models

from .inbox import InboxMessage


class InboxMail(models.Model):
    """That a message was mailed. The row is there before the mail goes out, so that none goes out twice.

    Without `sent_at` nobody knows whether it went: the worker died, or the server broke off. It is not tried again.
    """

    message = models.OneToOneField(InboxMessage, on_delete=models.PROTECT, primary_key=True, related_name="mail")
    begun_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"mail of message {self.message_id}"
