"""What providers tell of payments, over HTTP: signed, taken once, and answered the same each time."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roulette_site.common.errors import RuleBroken
from roulette_site.common.idempotency import REPLAYED_HEADER
from roulette_site.common.problems import problems
from roulette_site.common.sql import database_now
from roulette_site.common.strict_json import InvalidJson, read_json
from wallets.amounts import InvalidAmount, parse_cents
from wallets.models import CashKind, NoticeOutcome, ProviderNotice
from wallets.notice_signing import is_signed, is_timely
from wallets.services.cash_requests import AmountNotPossible
from wallets.services.notices import Taken, Told, report_forged_notice, take_notice

from .fields import StrictInput

TIMESTAMP_HEADER, SIGNATURE_HEADER = "Notice-Timestamp", "Notice-Signature"
MOST_BYTES = 16 * 1024
HEADERS = [
    OpenApiParameter(
        TIMESTAMP_HEADER,
        str,
        OpenApiParameter.HEADER,
        required=True,
        description="seconds since 1970; at most 5 min old",
    ),
    OpenApiParameter(
        SIGNATURE_HEADER,
        str,
        OpenApiParameter.HEADER,
        required=True,
        description="HMAC-SHA256 in hexadecimal over the timestamp, a point, and the body as it is sent",
    ),
]


class NoticeNotSigned(RuleBroken):
    """Nobody whose secret is known here has signed this."""

    code = "signature_refused"
    http_status = 401


class NoticeTooOld(RuleBroken):
    """What was signed too long ago, or is dated ahead, is signed anew."""

    code = "timestamp_refused"
    http_status = 401


class NoticeTooLarge(RuleBroken):
    """No notice is that long."""

    code = "request_too_large"
    http_status = 413


class NoticeNotRead(RuleBroken):
    """The body is not JSON."""

    code = "parse_error"
    http_status = 400


class NoticeDiffers(RuleBroken):
    """The same payment was told of before, otherwise. What was said first stands, and staff are told."""

    code = "notice_differs"


class TextInput(serializers.CharField):
    """Text as it came: a number is none, and no space is taken away."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        """Refuse what is no text."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class NoticeInput(StrictInput):
    """A provider's word on one payment."""

    reference = TextInput(max_length=80, help_text="the provider's number of the payment")
    our_reference = TextInput(
        max_length=40, allow_blank=True, default="", help_text='the request that it is for, such as "D12"'
    )
    kind = serializers.ChoiceField(choices=CashKind.choices)
    outcome = serializers.ChoiceField(choices=NoticeOutcome.choices)
    amount = TextInput(max_length=40, help_text='text with two decimals, such as "12.50"')
    unit = TextInput(max_length=4, help_text='such as "EUR"')
    reason = TextInput(max_length=300, allow_blank=True, default="")


class NoticeOutput(serializers.Serializer):
    """What was made of it. Any verdict is an answer: the notice is kept, and is not to be sent again."""

    id = serializers.IntegerField(source="pk")
    provider = serializers.CharField()
    reference = serializers.CharField()
    outcome = serializers.CharField()
    verdict = serializers.CharField()
    detail = serializers.CharField(source="get_verdict_display")
    request = serializers.SerializerMethodField(allow_null=True)
    received_at = serializers.DateTimeField()

    def get_request(self, notice: ProviderNotice) -> str | None:
        """The request that it was found to be for."""
        return None if notice.request is None else notice.request.reference


class ProviderNoticesView(APIView):
    """Notices of one provider. His signature is the key; there is no other."""

    authentication_classes: tuple[Any, ...] = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="cash_notices_take",
        auth=[],
        request=NoticeInput,
        parameters=HEADERS,
        responses={200: NoticeOutput, **problems(400, 401, 409, 413, 422)},
    )
    def post(self, request: Request, provider: str) -> Response:
        """Take a provider's word on a deposit or a withdrawal, once; the same again is answered as the first time."""
        body = _signed_body(request, provider)
        try:
            said = read_json(body)
        except InvalidJson as error:
            raise NoticeNotRead(f"The body is not JSON: {error}.") from error
        asked = NoticeInput(data=said)
        asked.is_valid(raise_exception=True)
        taken = take_notice(told=_told(provider, asked.validated_data), actor=f"provider:{provider}", at=database_now())
        if taken.differs:
            raise NoticeDiffers(
                "This payment was told of before, otherwise. What was said first stands; a person looks at it.",
                notice=taken.notice.pk,
            )
        return _answer(taken)


def _signed_body(request: Request, provider: str) -> bytes:
    """The body as it was sent, once its signature was found right: nothing of it is read before."""
    length = request.headers.get("Content-Length", "")
    if not length.isdigit() or int(length) > MOST_BYTES:
        raise NoticeTooLarge(f"A notice has {MOST_BYTES} bytes at most, and says how many.")
    body: bytes = request._request.body
    secret = settings.PROVIDER_SECRETS.get(provider, "")
    timestamp = request.headers.get(TIMESTAMP_HEADER, "")
    signature = request.headers.get(SIGNATURE_HEADER, "")
    # Also where there is no such provider something is compared: the answer is the same, and takes as long.
    right = is_signed(secret=secret.encode() or b"-", timestamp=timestamp, signature=signature, body=body)
    at = database_now()
    if not (secret and right):
        if secret:
            report_forged_notice(provider=provider, at=at)
        raise NoticeNotSigned("The signature is not right.")
    if not is_timely(timestamp=timestamp, now=at.timestamp()):
        raise NoticeTooOld("It was signed more than five minutes ago, or is dated ahead. Sign it anew.")
    return body


def _told(provider: str, said: dict[str, Any]) -> Told:
    try:
        cents = parse_cents(said["amount"])
    except InvalidAmount as error:
        raise AmountNotPossible(str(error)) from error
    return Told(
        provider=provider,
        reference=said["reference"],
        our_reference=said["our_reference"],
        kind=CashKind(said["kind"]),
        outcome=NoticeOutcome(said["outcome"]),
        amount_cents=cents,
        unit=said["unit"],
        reason=said["reason"],
    )


def _answer(taken: Taken) -> Response:
    answer = Response(NoticeOutput(taken.notice).data)
    if taken.repeated:
        answer[REPLAYED_HEADER] = "true"
    return answer
