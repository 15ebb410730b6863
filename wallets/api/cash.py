"""Players' money through REST: paying in, being paid out, and every transfer of the wallet."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roulette_site.common.errors import RuleBroken
from roulette_site.common.idempotency import REPLAYED_HEADER, key_of
from roulette_site.common.problems import problems
from roulette_site.common.sql import database_now
from wallets.amounts import InvalidAmount, parse_cents
from wallets.models import ApiKey, CashKind, CashRequest, OfferOccasion, Player, Reason, Scope, Unit
from wallets.selectors.balances import balance_after, wallets_of
from wallets.selectors.cash import page_of, requests_of
from wallets.selectors.limits_offers import is_offer_due
from wallets.selectors.suspense import Kept, kept_of
from wallets.selectors.transfers import TransferFilter, TransferLine, transfer_lines
from wallets.services.cash_requests import AmountNotPossible, Asked, request_withdrawal, start_deposit
from wallets.services.permission_to_pay import check_payer

from .fields import KEY_PARAMETERS, AmountField, StrictInput

PROBLEMS = problems(400, 401, 403, 404, 409, 422)
ROWS_A_PAGE = 100
_MOST = 2**63 - 1
CURSOR = OpenApiParameter("before", int, description="the last id of the page before")


@extend_schema_field(OpenApiTypes.STR)
class AmountInput(serializers.Field):
    """An amount as it came: what is wrong with it is said in the words of amounts."""

    def to_internal_value(self, data: Any) -> Any:
        """Take anything."""
        return data


class CashInput(StrictInput):
    """How much, and by which way."""

    amount = AmountInput(help_text='text with two decimals, such as "12.50"')
    provider = serializers.SlugField(help_text='such as "bank"', max_length=20)


class CashOutput(serializers.Serializer):
    """A cash request. `reference` is what the provider is to name."""

    id = serializers.IntegerField(source="pk")
    reference = serializers.CharField()
    kind = serializers.CharField()
    state = serializers.CharField()
    amount = AmountField(source="amount_cents")
    unit = serializers.CharField()
    provider = serializers.CharField()
    payout_to = serializers.CharField(help_text="where a withdrawal goes, masked; empty for a deposit")
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    kept = serializers.SerializerMethodField(
        help_text="of a deposit that failed and whose money came all the same: what has become of the money"
    )

    @extend_schema_field(serializers.ChoiceField(choices=[str(one) for one in Kept], allow_null=True))
    def get_kept(self, request: CashRequest) -> str | None:
        """Where its money is; null where it came in the right way, or not at all."""
        kept: Mapping[int, Kept] = self.context["kept"]
        return kept.get(request.pk)


class AskedOutput(serializers.Serializer):
    """What a call made: the request as it began, and for a withdrawal the balance that it left."""

    id = serializers.IntegerField(source="request.pk")
    reference = serializers.CharField(source="request.reference")
    kind = serializers.CharField(source="request.kind")
    amount = AmountField(source="request.amount_cents")
    unit = serializers.CharField(source="request.unit")
    provider = serializers.CharField(source="request.provider")
    created_at = serializers.DateTimeField(source="request.created_at")
    balance = serializers.SerializerMethodField(allow_null=True)

    def get_balance(self, asked: Asked) -> str | None:
        """The balance right after the withdrawal, the same each time that it is asked for; null for a deposit."""
        held = asked.request.held
        if held is None:
            return None
        return AmountField().to_representation(balance_after(account_id=held.debit_id, transfer_id=held.pk))


class CashPageOutput(serializers.Serializer):
    """A page of cash requests, the latest first; `next` is the `before` of the next page."""

    results = CashOutput(many=True)
    next = serializers.IntegerField(allow_null=True)


class SignedAmountField(AmountField):
    """What came is positive, what went is negative."""


class TransferOutput(serializers.Serializer):
    """A transfer as the player's wallet sees it."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()
    change = SignedAmountField(source="change_cents")
    unit = serializers.CharField()
    round = serializers.IntegerField(source="round_ref", allow_null=True)
    corrects = serializers.IntegerField(allow_null=True)


class TransferPageOutput(serializers.Serializer):
    """A page of transfers, the latest first; `next` is the `before` of the next page."""

    results = TransferOutput(many=True)
    next = serializers.IntegerField(allow_null=True)


class PageInput(StrictInput):
    """Which page."""

    before = serializers.IntegerField(required=False, min_value=1, max_value=_MOST)


class TransfersInput(PageInput):
    """Which transfers."""

    unit = serializers.ChoiceField(choices=Unit.choices, default=Unit.EUR)
    reason = serializers.ChoiceField(choices=Reason.choices, required=False)
    since = serializers.DateTimeField(required=False, default_timezone=dt.UTC)
    until = serializers.DateTimeField(required=False, default_timezone=dt.UTC)


class LimitsNotOffered(RuleBroken):
    """Before his first deposit a player is offered limits, through whatever system he pays in."""

    code = "limits_not_offered"


class CashView(APIView):
    """What both ways of money share."""

    required_scope = Scope.CASH
    kind: CashKind

    def list(self, request: Request, handle: str) -> Response:
        """A page of the player's requests."""
        player = get_object_or_404(Player, handle=handle)
        asked = PageInput(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        rows: list[CashRequest] = list(
            page_of(
                requests_of(player).filter(kind=self.kind),
                limit=ROWS_A_PAGE,
                before=asked.validated_data.get("before"),
            )
        )
        page = {"results": rows, "next": _next([row.pk for row in rows])}
        return Response(CashPageOutput(page, context={"kept": kept_of(rows)}).data)

    def make(self, request: Request, handle: str) -> Response:
        """Make a request of the kind; the same key again answers the first one."""
        player = get_object_or_404(Player, handle=handle)
        asked = CashInput(data=request.data)
        asked.is_valid(raise_exception=True)
        key = request.auth
        assert isinstance(key, ApiKey), "the permission has put the key there"
        actor = f"api:{key.prefix}"
        if self.kind == CashKind.DEPOSIT and is_offer_due(player, OfferOccasion.FIRST_DEPOSIT):
            # Who may pay nothing in is told that, and not offered limits on it.
            check_payer(player=player, at=database_now())
            raise LimitsNotOffered("Offer the player limits first, and say what he answered at limits-offers.")
        act = start_deposit if self.kind == CashKind.DEPOSIT else request_withdrawal
        made = act(
            player=player,
            amount_cents=_cents(asked.validated_data["amount"]),
            provider=asked.validated_data["provider"],
            key=key_of(request, actor),
            actor=actor,
            at=database_now(),
        )
        answer = Response(
            AskedOutput(made).data, status=status.HTTP_200_OK if made.replayed else status.HTTP_201_CREATED
        )
        if made.replayed:
            answer[REPLAYED_HEADER] = "true"
        return answer


class DepositsView(CashView):
    """Deposits."""

    kind = CashKind.DEPOSIT

    @extend_schema(operation_id="deposits_list", parameters=[CURSOR], responses={200: CashPageOutput, **PROBLEMS})
    def get(self, request: Request, handle: str) -> Response:
        """List the player's deposits, the latest first."""
        return self.list(request, handle)

    @extend_schema(
        operation_id="deposits_start",
        request=CashInput,
        parameters=KEY_PARAMETERS,
        responses={201: AskedOutput, 200: AskedOutput, **PROBLEMS},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Note that the player pays in; the money is his when the provider has confirmed it."""
        return self.make(request, handle)


class WithdrawalsView(CashView):
    """Withdrawals."""

    kind = CashKind.WITHDRAWAL

    @extend_schema(operation_id="withdrawals_list", parameters=[CURSOR], responses={200: CashPageOutput, **PROBLEMS})
    def get(self, request: Request, handle: str) -> Response:
        """List the player's withdrawals, the latest first."""
        return self.list(request, handle)

    @extend_schema(
        operation_id="withdrawals_request",
        request=CashInput,
        parameters=KEY_PARAMETERS,
        responses={201: AskedOutput, 200: AskedOutput, **PROBLEMS},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Take what is to be paid out from the wallet, at once and for good: there is no cancelling."""
        return self.make(request, handle)


class TransfersView(APIView):
    """Transfers."""

    required_scope = Scope.READ

    @extend_schema(
        operation_id="transfers_list",
        parameters=[
            CURSOR,
            OpenApiParameter("unit", str, enum=Unit.values),
            OpenApiParameter("reason", str, enum=Reason.values),
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="from this instant on"),
            OpenApiParameter("until", OpenApiTypes.DATETIME, description="before this instant"),
        ],
        responses={200: TransferPageOutput, **PROBLEMS},
    )
    def get(self, request: Request, handle: str) -> Response:
        """List the transfers of one of the player's wallets, the latest first."""
        player = get_object_or_404(Player, handle=handle)
        asked = TransfersInput(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        wallet = next((one for one in wallets_of(player) if one.unit == said["unit"]), None)
        wanted = TransferFilter(
            reason=Reason(said["reason"]) if "reason" in said else None,
            since=said.get("since"),
            until=said.get("until"),
        )
        lines: list[TransferLine] = (
            []
            if wallet is None
            else list(transfer_lines(wallet, limit=ROWS_A_PAGE, wanted=wanted, before=said.get("before")))
        )
        return Response(TransferPageOutput({"results": lines, "next": _next([line.id for line in lines])}).data)


def _next(ids: list[int]) -> int | None:
    return ids[-1] if len(ids) == ROWS_A_PAGE else None


def _cents(text: Any) -> int:
    try:
        return parse_cents(text)
    except InvalidAmount as error:
        raise AmountNotPossible(str(error)) from error
