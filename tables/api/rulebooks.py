"""The rulebooks through REST, free for everyone: what they say, and what they make of bets and numbers."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roulette_site.common.problems import problems
from tables.roulette.call_bets import FINAL, NEIGHBOUR_COUNTS, NEIGHBOURS, CallBet
from tables.roulette.cloth import SPOTS
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import UnknownRulebook, all_rulebooks, find_rulebook
from tables.roulette.wheel import WHEEL, colour_of
from tables.settle_requests import InvalidRequest, answer, read_request, refuse_request
from tables.slips import as_json

MOST_BYTES = 256 * 1024
MOST_BETS = MOST_NUMBERS = 1000


class PublicView(APIView):
    """A view that needs no key."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class SourceOutput(serializers.Serializer):
    """The act that a rulebook is taken from."""

    act = serializers.CharField()
    article = serializers.CharField()
    publication = serializers.CharField()
    in_force = serializers.CharField()


class RulebookOutput(serializers.Serializer):
    """A rulebook in a list."""

    code = serializers.CharField()
    edition = serializers.CharField(help_text="the date of the text that is in force")
    title = serializers.CharField()
    source = SourceOutput()  # type: ignore[assignment]


class RulebookListView(PublicView):
    """All rulebooks."""

    @extend_schema(operation_id="rulebooks_list", responses={200: RulebookOutput(many=True)})
    def get(self, request: Request) -> Response:
        """List code, edition, title and source of each rulebook."""
        return Response(RulebookOutput([_summary(rulebook) for rulebook in all_rulebooks()], many=True).data)


class RulebookDetailView(PublicView):
    """One rulebook."""

    @extend_schema(operation_id="rulebooks_read", responses={200: OpenApiTypes.OBJECT, **problems(404)})
    def get(self, request: Request, code: str) -> Response:
        """Show everything that the rulebook says, wheel and cloth included."""
        return Response(_detail(_find(code)))


class RulebookSettleView(PublicView):
    """What a rulebook makes of bets and numbers."""

    @extend_schema(
        operation_id="rulebooks_settle",
        request=OpenApiTypes.OBJECT,
        responses={200: OpenApiTypes.OBJECT, 400: OpenApiTypes.OBJECT, **problems(404)},
    )
    def post(self, request: Request, code: str) -> Response:
        """Answer as the settle command does: a refusal is an answer (200), what is no request is not (400)."""
        rulebook = _find(code)
        try:
            # Read as text, not by the framework's parser: that one takes numbers for amounts.
            asked = read_request(_body(request))
            return Response(answer(_within_bounds(asked, rulebook)))
        except InvalidRequest as error:
            return Response(refuse_request(str(error)), status=status.HTTP_400_BAD_REQUEST)


def _body(request: Request) -> bytes:
    """The request's bytes; raises InvalidRequest where there are too many, whatever length was announced."""
    try:
        body: bytes = request._request.body
    except RequestDataTooBig as error:
        raise InvalidRequest(f"A request has at most {MOST_BYTES} bytes.") from error
    except ValueError as error:
        raise InvalidRequest("The request's Content-Length is no number.") from error
    if len(body) > MOST_BYTES:
        raise InvalidRequest(f"A request has at most {MOST_BYTES} bytes.")
    return body


def _within_bounds(asked: Any, rulebook: Rulebook) -> Any:
    """The request with the path's rulebook in it; raises InvalidRequest where it is too large or names another."""
    if not isinstance(asked, dict):
        raise InvalidRequest("A request is a JSON object.")
    if asked.get("rulebook", rulebook.code) != rulebook.code:
        raise InvalidRequest("The request names another rulebook than its address.")
    for key, most in (("bets", MOST_BETS), ("placed", MOST_BETS), ("numbers", MOST_NUMBERS), ("choices", MOST_NUMBERS)):
        if isinstance(asked.get(key), list) and len(asked[key]) > most:
            raise InvalidRequest(f"A request has at most {most} {key}.")
    return asked | {"rulebook": rulebook.code}


def _find(code: str) -> Rulebook:
    try:
        return find_rulebook(code)
    except UnknownRulebook as error:
        raise Http404(str(error)) from error


def _summary(rulebook: Rulebook) -> dict[str, Any]:
    said = rulebook.as_json()
    return {key: said[key] for key in ("code", "edition", "title", "source")}


def _detail(rulebook: Rulebook) -> dict[str, Any]:
    said = rulebook.as_json()
    return _summary(rulebook) | {
        "digest": rulebook.digest,
        "lawful_sources": said["lawful_sources"],
        "wheel": [{"number": number, "colour": str(colour_of(number))} for number in WHEEL],
        "spots": [as_json(spot) | {"numbers": list(spot.numbers)} for spot in SPOTS],
        "prizes": said["prizes"],
        "maxima": said["maxima"],
        "zero": {
            "rule": rulebook.zero_rule.kind,
            "returned": [rulebook.zero_rule.numerator, rulebook.zero_rule.denominator],
        },
        "call_bets": [_call(name) for name in rulebook.call_bets],
        "payment_order": said["payment_order"],
        "options": said["options"],
        # Word for word what the digest is over, so that anybody can recompute it.
        "content": said,
    }


def _call(name: str) -> dict[str, Any]:
    """A call bet with its parts for a unit of one; those that are called with a number say what they take."""
    if name == NEIGHBOURS:
        return {"call": name, "number": list(range(len(WHEEL))), "neighbours": list(NEIGHBOUR_COUNTS)}
    if name == FINAL:
        digits = {str(digit): list(_numbers(CallBet(name, 1, {"digit": digit}))) for digit in range(10)}
        return {"call": name, "digits": digits}
    parts = [as_json(bet.spot) | {"units": bet.stake_cents} for bet in CallBet(name, 1).parts]
    return {"call": name, "units": sum(part["units"] for part in parts), "parts": parts}


def _numbers(call: CallBet) -> tuple[int, ...]:
    return tuple(number for bet in call.parts for number in bet.spot.numbers)
