"""What inputs and outputs of the API share. Amounts are text with two decimals, never JSON numbers."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers

from roulette_site.common.idempotency import HEADER, REPLAYED_HEADER
from wallets.amounts import format_cents

KEY_PARAMETERS = [
    OpenApiParameter(
        HEADER, str, OpenApiParameter.HEADER, required=True, description="8 to 64 printable ASCII characters"
    ),
    OpenApiParameter(
        REPLAYED_HEADER, str, OpenApiParameter.HEADER, response=[200], description='"true": the first answer again'
    ),
]


@extend_schema_field(OpenApiTypes.STR)
class AmountField(serializers.Field):
    """Cents inside, "12.50" outside."""

    def to_representation(self, value: int) -> str:
        """Write the cents as text."""
        return format_cents(value)

    def to_internal_value(self, data: str) -> int:
        """Amounts come in through readers of their own, never through this field."""
        raise serializers.ValidationError("read only")


class WholeNumberField(serializers.IntegerField):
    """A whole number, written as a JSON number: text that looks like one is none."""

    def to_internal_value(self, data: Any) -> int:
        """Refuse text, fractions and truth values."""
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictInput(serializers.Serializer):
    """What a request may say, and nothing else: a name that is not known was meant to do something."""

    def to_internal_value(self, data: Any) -> Any:
        """Refuse names that are not known."""
        if isinstance(data, dict) and (unknown := data.keys() - self.fields.keys()):
            raise serializers.ValidationError({name: ["This is not known here."] for name in sorted(unknown)})
        return super().to_internal_value(data)
