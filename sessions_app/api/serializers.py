"""What the API takes and gives for game sessions. Amounts are text with two decimals, never JSON numbers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from sessions_app.selectors.play import LastPlay, OpenPlay, StakeOnSpot
from sessions_app.selectors.statement import StatementLine
from tables.models import RoundState, Table
from tables.services.betting import MOST_BETS
from tables.slips import as_json
from wallets.amounts import format_cents
from wallets.api.fields import AmountField, StrictInput, WholeNumberField


class TableOutput(serializers.ModelSerializer):
    """A table as players and other systems see it."""

    minimum = AmountField(source="minimum_cents")
    rulebook = serializers.CharField(source="rules.rulebook_code")
    rules_version = serializers.IntegerField(source="rules.version")

    class Meta:
        model = Table
        fields = ("slug", "name", "kind", "unit", "number_source", "state", "minimum", "rulebook", "rules_version")


class SessionInput(StrictInput):
    """Who sits down where."""

    player = serializers.SlugField(help_text="the player's handle")
    table = serializers.SlugField(help_text="the table's slug")


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]})
class OnField(serializers.Field):
    """Where a spot lies, as a bet names it: numbers, one dozen or column, or nothing for even chances."""


class StakeOutput(serializers.Serializer):
    """All of the player's money on one spot. Type, on and stake are a bet that can be placed again."""

    type = serializers.CharField()
    on = OnField(required=False)
    stake = AmountField()
    returned = AmountField(allow_null=True)

    def to_representation(self, stake: StakeOnSpot) -> dict[str, Any]:
        """Write the spot as requests do."""
        return as_json(stake.spot) | {
            "stake": format_cents(stake.stake_cents),
            "returned": format_cents(stake.returned_cents),
        }


class OpenRoundOutput(serializers.Serializer):
    """The round that runs now."""

    id = serializers.IntegerField(source="game_round_id")
    number = serializers.IntegerField()
    state = serializers.CharField()
    minimum = AmountField(source="minimum_cents")
    closes_at = serializers.DateTimeField(allow_null=True)
    commitment = serializers.CharField(help_text="SHA-256 of the seed that the number is drawn from")
    client_seed = serializers.CharField()
    bets = StakeOutput(source="stakes", many=True)
    staked = AmountField(source="staked_cents")

    def to_representation(self, play: OpenPlay) -> dict[str, Any]:
        """Say nothing of what its bets return: that is not decided."""
        said: dict[str, Any] = super().to_representation(play)
        return said | {"bets": [bet | {"returned": None} for bet in said["bets"]]}


class LastPlayOutput(serializers.Serializer):
    """The latest play that the player took part in (rule 26); what it returned is null until it is paid."""

    id = serializers.IntegerField(source="game_round_id")
    number = serializers.IntegerField()
    state = serializers.CharField()
    winning_number = serializers.IntegerField(source="winning.number")
    colour = serializers.CharField(source="winning.colour")
    bets = StakeOutput(source="stakes", many=True)
    staked = AmountField(source="staked_cents")
    returned = AmountField(source="returned_cents", allow_null=True)
    net = AmountField(source="net_cents", allow_null=True)
    seed = serializers.CharField(source="seed_hex")

    def to_representation(self, play: LastPlay) -> dict[str, Any]:
        """Say nothing of money that is not paid yet: a number alone is no loss."""
        said: dict[str, Any] = super().to_representation(play)
        if play.state != RoundState.SETTLED:
            said |= {"returned": None, "net": None, "bets": [bet | {"returned": None} for bet in said["bets"]]}
        return said


class SessionOutput(serializers.Serializer):
    """A game session and all that changes in it."""

    id = serializers.IntegerField(source="game_session.pk")
    player = serializers.CharField(source="game_session.player.handle")
    table = serializers.CharField(source="table.slug")
    unit = serializers.CharField()
    started_at = serializers.DateTimeField(source="game_session.started_at")
    ended_at = serializers.DateTimeField(source="game_session.ended_at", allow_null=True)
    balance = AmountField(source="balance_cents")
    round = OpenRoundOutput(
        allow_null=True, help_text="null until a worker has opened the next one, which takes a moment: ask again"
    )
    last_play = LastPlayOutput(allow_null=True)
    play_until = serializers.DateTimeField(
        allow_null=True, help_text="the end of the playing time that the player's limits leave him"
    )
    reality_check_at = serializers.DateTimeField(
        allow_null=True, help_text="from then on no bet is taken before sessions/{id}/reality-check"
    )


@extend_schema_field(
    {"type": "array", "minItems": 1, "maxItems": MOST_BETS, "items": {"type": "object", "additionalProperties": {}}}
)
class ItemsField(serializers.Field):
    """The items of a slip, as they came: what is wrong with one is the service's to say, with everything else."""

    def to_internal_value(self, data: Any) -> list[Any]:
        """Take any list."""
        if not isinstance(data, list):
            raise serializers.ValidationError("This is no list of bets.")
        return data


class BetsInput(StrictInput):
    """A slip: bets and call bets as in rulebooks/{code}/settle, all or none."""

    bets = ItemsField()


class SpinInput(StrictInput):
    """Which ball is launched; without a round it is that of the round that runs."""

    round = WholeNumberField(
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text="its id: sent again, the call then launches no other",
    )


class SlipOutput(serializers.Serializer):
    """What stands after placing."""

    slip = serializers.IntegerField(source="slip_id")
    round = serializers.IntegerField(source="game_round_id")
    staked = AmountField(source="staked_cents")
    balance = AmountField(source="balance_cents")


class StatementLineOutput(serializers.Serializer):
    """One round of a session; what it brought is null until it is decided."""

    round = serializers.IntegerField(source="number")
    state = serializers.CharField()
    winning_number = serializers.IntegerField(allow_null=True)
    staked = AmountField(source="staked_cents")
    prize = AmountField(source="prize_cents", allow_null=True)
    returned = AmountField(source="returned_cents", allow_null=True)
    net = AmountField(source="net_cents", allow_null=True)

    def to_representation(self, line: StatementLine) -> dict[str, Any]:
        """Call no bet lost that is not decided: the sums leave it out as well."""
        said: dict[str, Any] = super().to_representation(line)
        return said if line.is_decided else said | {"prize": None, "returned": None, "net": None}


class StatementOutput(serializers.Serializer):
    """Amounts bet and the respective profits or losses (rule 28). What is not decided yet stands apart."""

    session = serializers.IntegerField(source="game_session.pk")
    unit = serializers.CharField()
    rounds = serializers.IntegerField()
    staked = AmountField(source="staked_cents")
    prizes = AmountField(source="prize_cents")
    returned = AmountField(source="returned_cents")
    net = AmountField(source="net_cents")
    undecided = AmountField(source="undecided_cents")
    lines = StatementLineOutput(many=True)
