"""Rounds through REST: what an inspector, or a system that plays for a player, recomputes them from."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roulette_site.common.problems import problems
from tables.models import GameRound
from tables.selectors.receipts import receipt_of
from wallets.api.fields import StrictInput
from wallets.models import Player, Scope
from wallets.selectors.balances import wallets_of


class ProofInput(StrictInput):
    """Whose bets are opened."""

    player = serializers.SlugField(required=False)


class RoundProofView(APIView):
    """The proof of one round."""

    required_scope = Scope.READ

    @extend_schema(
        operation_id="rounds_proof",
        parameters=[OpenApiParameter("player", str, description="the handle of the player whose bets are opened")],
        responses={200: OpenApiTypes.OBJECT, **problems(400, 401, 403, 404)},
    )
    def get(self, request: Request, game_round_id: int) -> Response:
        """Show the round's receipt: seed, number, and its bets, which but for the player's own are digests."""
        asked = ProofInput(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        accounts = []
        if "player" in asked.validated_data:
            player = get_object_or_404(Player, handle=asked.validated_data["player"])
            accounts = [wallet.pk for wallet in wallets_of(player)]
        try:
            return Response(receipt_of(game_round_id, account_ids=accounts))
        except GameRound.DoesNotExist as error:
            raise Http404("There is no such round.") from error
