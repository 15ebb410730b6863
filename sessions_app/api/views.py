"""Game sessions through REST: for bots, terminals and other systems that play for a player."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roulette_site.common.idempotency import REPLAYED_HEADER, key_of
from roulette_site.common.problems import problems
from roulette_site.common.sql import database_now
from sessions_app.models import EndBasis, GameSession
from sessions_app.selectors.play import play_state
from sessions_app.selectors.statement import statement_of
from sessions_app.services.game_sessions import end_game_session, enter_table
from sessions_app.services.protection import acknowledge_reality_check
from tables.models import Table
from tables.services.betting import place_bets
from tables.services.rounds import launch_ball
from wallets.api.fields import KEY_PARAMETERS
from wallets.models import ApiKey, Player, Scope

from .serializers import (
    BetsInput,
    SessionInput,
    SessionOutput,
    SlipOutput,
    SpinInput,
    StatementOutput,
    TableOutput,
)

PROBLEMS = problems(400, 401, 403, 404, 409, 422)


class TableListView(APIView):
    """The tables of the house."""

    required_scope = Scope.READ

    @extend_schema(operation_id="tables_list", responses={200: TableOutput(many=True), **PROBLEMS})
    def get(self, request: Request) -> Response:
        """List the tables."""
        return Response(TableOutput(Table.objects.select_related("rules").order_by("name"), many=True).data)


class SessionListView(APIView):
    """Beginning a game session."""

    required_scope = Scope.PLAY

    @extend_schema(
        operation_id="sessions_start",
        request=SessionInput,
        responses={201: SessionOutput, 200: SessionOutput, **PROBLEMS},
    )
    def post(self, request: Request) -> Response:
        """Seat a player at a table; his open session there is answered as it is."""
        asked = SessionInput(data=request.data)
        asked.is_valid(raise_exception=True)
        player = get_object_or_404(Player, handle=asked.validated_data["player"])
        table = get_object_or_404(Table, slug=asked.validated_data["table"])
        at = database_now()
        game_session = enter_table(table=table, player=player, at=at)
        created = game_session.started_at == at
        return Response(
            SessionOutput(play_state(game_session)).data,
            status=status.HTTP_201_CREATED if created else status.HTTP_200_OK,
        )


class SessionView(APIView):
    """What every view of one session starts from."""

    required_scope = Scope.PLAY

    def find(self, session_id: int) -> GameSession:
        """The session; 404 without one."""
        return get_object_or_404(GameSession.objects.select_related("seat__table", "player"), pk=session_id)


class SessionDetailView(SessionView):
    """A game session."""

    required_scope = Scope.READ

    @extend_schema(operation_id="sessions_read", responses={200: SessionOutput, **PROBLEMS})
    def get(self, request: Request, session_id: int) -> Response:
        """Show the session, the round that runs and the last play."""
        return Response(SessionOutput(play_state(self.find(session_id))).data)


class SessionBetsView(SessionView):
    """Placing bets."""

    @extend_schema(
        operation_id="sessions_place_bets",
        request=BetsInput,
        parameters=KEY_PARAMETERS,
        responses={201: SlipOutput, 200: SlipOutput, **PROBLEMS},
    )
    def post(self, request: Request, session_id: int) -> Response:
        """Place a slip in the round that runs, all or nothing; a refusal names every breach."""
        game_session = self.find(session_id)
        asked = BetsInput(data=request.data)
        asked.is_valid(raise_exception=True)
        placed = place_bets(
            seat=game_session.seat,
            items=asked.validated_data["bets"],
            key=key_of(request, _namespace(request)),
            actor=_namespace(request),
        )
        answer = Response(
            SlipOutput(placed).data, status=status.HTTP_200_OK if placed.replayed else status.HTTP_201_CREATED
        )
        if placed.replayed:
            answer[REPLAYED_HEADER] = "true"
        return answer


class SessionSpinView(SessionView):
    """Launching the ball (rule 17)."""

    @extend_schema(operation_id="sessions_spin", request=SpinInput, responses={202: SessionOutput, **PROBLEMS})
    def post(self, request: Request, session_id: int) -> Response:
        """Close the bets of the round that runs; a worker draws and settles it."""
        game_session = self.find(session_id)
        asked = SpinInput(data=request.data)
        asked.is_valid(raise_exception=True)
        launch_ball(seat=game_session.seat, at=database_now(), game_round_id=asked.validated_data.get("round"))
        return Response(SessionOutput(play_state(game_session)).data, status=status.HTTP_202_ACCEPTED)


class SessionRealityCheckView(SessionView):
    """Saying, after a stretch of play, that the player goes on."""

    @extend_schema(operation_id="sessions_go_on", request=None, responses={200: SessionOutput, **PROBLEMS})
    def post(self, request: Request, session_id: int) -> Response:
        """Note that the player was shown what he has staked and returned, and goes on."""
        game_session = self.find(session_id)
        acknowledge_reality_check(game_session=game_session, at=database_now())
        return Response(SessionOutput(play_state(game_session)).data)


class SessionEndView(SessionView):
    """Ending a game session."""

    @extend_schema(operation_id="sessions_end", request=None, responses={200: StatementOutput, **PROBLEMS})
    def post(self, request: Request, session_id: int) -> Response:
        """End the session for the player and answer with its statement; bets on the cloth are played and valid."""
        ended = end_game_session(game_session=self.find(session_id), basis=EndBasis.PLAYER, at=database_now())
        return Response(StatementOutput(statement_of(ended)).data)


class SessionStatementView(SessionView):
    """The statement of a session (rule 28)."""

    required_scope = Scope.READ

    @extend_schema(operation_id="sessions_statement", responses={200: StatementOutput, **PROBLEMS})
    def get(self, request: Request, session_id: int) -> Response:
        """Show amounts bet, won and net."""
        return Response(StatementOutput(statement_of(self.find(session_id))).data)


def _namespace(request: Request) -> str:
    key = request.auth
    assert isinstance(key, ApiKey), "the permission has put the key there"
    return f"api:{key.prefix}"
