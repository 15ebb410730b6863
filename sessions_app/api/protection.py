"""A player's limits and exclusion through REST: for the systems that he plays through."""

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roulette_site.common.problems import problems
from roulette_site.common.sql import database_now
from sessions_app.selectors.limits import LimitLine, limit_lines
from sessions_app.services.protection import answer_limits_offer, exclude
from wallets.amounts import InvalidAmount, format_cents, parse_cents
from wallets.api.fields import StrictInput
from wallets.models import (
    COUNTS_TIME,
    ApiKey,
    Exclusion,
    Limit,
    LimitKind,
    LimitPeriod,
    Loosening,
    OfferOccasion,
    Player,
    Scope,
)
from wallets.protection import PAUSES, SELF_EXCLUSIONS
from wallets.services.limits import PERIODS, confirm_loosening, set_own_limit

PROBLEMS = problems(400, 401, 403, 404, 409)
# A hundred years.
MOST_SECONDS = 100 * 366 * 24 * 3600


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "example": "100.00", "description": "an amount of money"},
            {"type": "integer", "minimum": 0, "example": 3600, "description": "seconds, where time is counted"},
        ]
    }
)
class LimitValueField(serializers.Field):
    """What a limit is: an amount as text, or whole seconds of the kinds that count time."""

    def to_internal_value(self, data: Any) -> int:
        """Read either; which of them the kind takes is the input's to say."""
        if type(data) is int:
            if not 0 <= data <= MOST_SECONDS:
                raise serializers.ValidationError(f"Seconds are 0 to {MOST_SECONDS}.")
            return data
        try:
            return parse_cents(data)
        except InvalidAmount as error:
            raise serializers.ValidationError(str(error)) from error

    def to_representation(self, value: int) -> Any:
        """Seconds; the outputs write amounts themselves."""
        return value


class LimitInput(StrictInput):
    """A limit of the player's own; null lifts it."""

    kind = serializers.ChoiceField(LimitKind.choices)
    period = serializers.ChoiceField(LimitPeriod.choices)
    value = LimitValueField(allow_null=True)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Hold the value to the kind: text is money, a number is time."""
        read: dict[str, Any] = super().to_internal_value(data)
        given = data["value"]
        if given is not None and (type(given) is int) != (read["kind"] in COUNTS_TIME):
            raise serializers.ValidationError({"value": ["Money is text such as 100.00, time a number of seconds."]})
        return read


class OfferInput(StrictInput):
    """What a player said when he was offered limits; without any he has passed them over."""

    occasion = serializers.ChoiceField(OfferOccasion.choices)
    limits = serializers.ListField(child=LimitInput(), max_length=sum(map(len, PERIODS.values())))

    def validate_limits(self, limits: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Each limit once, and none of them lifted."""
        if any(one["value"] is None for one in limits):
            raise serializers.ValidationError("An offer sets limits and lifts none.")
        if len({(one["kind"], one["period"]) for one in limits}) != len(limits):
            raise serializers.ValidationError("A limit is given twice.")
        return limits


def _written(value: int | None, *, counts_time: bool) -> str | int | None:
    return value if value is None or counts_time else format_cents(value)


class WaitingOutput(serializers.Serializer):
    """A looser limit that waits for its day and the player's word."""

    id = serializers.IntegerField(source="pk")
    value = LimitValueField(allow_null=True)
    confirmable_at = serializers.DateTimeField()
    lapses_at = serializers.DateTimeField()

    def to_representation(self, waiting: Loosening) -> dict[str, Any]:
        """Write the value as its kind is written."""
        said: dict[str, Any] = super().to_representation(waiting)
        return said | {"value": _written(waiting.value, counts_time=waiting.kind in COUNTS_TIME)}


class LimitOutput(serializers.Serializer):
    """What holds of one kind and period, and what is used of it."""

    kind = serializers.CharField()
    period = serializers.CharField()
    value = LimitValueField(allow_null=True, help_text="the stricter of both sides")
    own = LimitValueField(allow_null=True)
    operators = LimitValueField(allow_null=True)
    used = LimitValueField(allow_null=True)
    waiting = WaitingOutput(allow_null=True)

    def to_representation(self, line: LimitLine) -> dict[str, Any]:
        """Write the values as their kind is written."""
        said: dict[str, Any] = super().to_representation(line)
        values = ("value", "own", "operators", "used")
        return said | {name: _written(getattr(line, name), counts_time=line.counts_time) for name in values}


class ExclusionInput(StrictInput):
    """For how long the player excludes himself."""

    term = serializers.ChoiceField([*PAUSES, *SELF_EXCLUSIONS])


class ExclusionOutput(serializers.Serializer):
    """An exclusion as it holds."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.CharField()
    term = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True, help_text="null: without end")


class PlayerView(APIView):
    """What every view of one player starts from."""

    required_scope = Scope.PLAY

    def via(self) -> str:
        """The key through which the player acts, as the trail names it: his own word is what its holder says it is."""
        key = self.request.auth
        assert isinstance(key, ApiKey), "the permission has put the key there"
        return f"api:{key.prefix}"

    def find(self, handle: str) -> Player:
        """The player; 404 without one."""
        return get_object_or_404(Player, handle=handle)


class LimitListView(PlayerView):
    """A player's limits."""

    def get_permissions(self) -> Sequence[Any]:
        """Looking needs less than setting."""
        self.required_scope = Scope.READ if self.request.method == "GET" else Scope.PLAY
        return super().get_permissions()

    @extend_schema(operation_id="players_limits", responses={200: LimitOutput(many=True), **PROBLEMS})
    def get(self, request: Request, handle: str) -> Response:
        """Show every limit there can be, and what is used of it."""
        return Response(LimitOutput(limit_lines(self.find(handle), database_now()), many=True).data)

    @extend_schema(
        operation_id="players_set_limit",
        request=LimitInput,
        responses={201: LimitOutput, 202: LimitOutput, **PROBLEMS},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Set one: a tighter limit holds at once (201), a looser one waits (202)."""
        player = self.find(handle)
        asked = LimitInput(data=request.data)
        asked.is_valid(raise_exception=True)
        kind, period = LimitKind(asked.validated_data["kind"]), LimitPeriod(asked.validated_data["period"])
        at = database_now()
        value = asked.validated_data["value"]
        found = set_own_limit(player=player, kind=kind, period=period, value=value, at=at, via=self.via())
        waits = isinstance(found, Loosening)
        return Response(
            LimitOutput(_line(player, found)).data,
            status=status.HTTP_202_ACCEPTED if waits else status.HTTP_201_CREATED,
        )


class LimitConfirmView(PlayerView):
    """The player's word for a looser limit."""

    @extend_schema(operation_id="players_confirm_limit", request=None, responses={200: LimitOutput, **PROBLEMS})
    def post(self, request: Request, handle: str, loosening_id: int) -> Response:
        """Let a looser limit hold that was asked for a day ago or more."""
        player = self.find(handle)
        found = confirm_loosening(player=player, loosening_id=loosening_id, at=database_now(), via=self.via())
        return Response(LimitOutput(_line(player, found)).data)


class OfferListView(PlayerView):
    """What players say to the limits that they are offered."""

    @extend_schema(
        operation_id="players_answer_limits_offer",
        request=OfferInput,
        responses={201: LimitOutput(many=True), **PROBLEMS},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Set the limits that the player chose when he was offered them, all or none; the first answer is noted."""
        player = self.find(handle)
        asked = OfferInput(data=request.data)
        asked.is_valid(raise_exception=True)
        answer_limits_offer(
            player=player,
            occasion=OfferOccasion(asked.validated_data["occasion"]),
            limits={
                (LimitKind(one["kind"]), LimitPeriod(one["period"])): one["value"]
                for one in asked.validated_data["limits"]
            },
            at=database_now(),
            via=self.via(),
        )
        return Response(
            LimitOutput(limit_lines(player, database_now()), many=True).data, status=status.HTTP_201_CREATED
        )


class ExclusionListView(PlayerView):
    """A player's exclusion by his own wish."""

    @extend_schema(operation_id="players_exclude", request=ExclusionInput, responses={201: ExclusionOutput, **PROBLEMS})
    def post(self, request: Request, handle: str) -> Response:
        """Exclude the player at once, and end his sessions."""
        player = self.find(handle)
        asked = ExclusionInput(data=request.data)
        asked.is_valid(raise_exception=True)
        term = asked.validated_data["term"]
        found: Exclusion = exclude(player=player, term=term, at=database_now(), via=self.via())
        return Response(ExclusionOutput(found).data, status=status.HTTP_201_CREATED)


def _line(player: Player, found: Limit | Loosening) -> LimitLine:
    lines = limit_lines(player, database_now())
    return next(line for line in lines if (line.kind, line.period) == (found.kind, found.period))
