"""Sets of pockets: a 37-bit integer inside, set-like outside."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PocketSet:
    """A set of pockets of the wheel.

    >>> low_street = PocketSet.of(1, 2, 3)
    >>> low_street
    PocketSet.of(1, 2, 3)
    >>> 2 in low_street, 4 in low_street, len(low_street)
    (True, False, 3)
    >>> low_street | PocketSet.of(0)
    PocketSet.of(0, 1, 2, 3)
    >>> list(low_street & PocketSet.of(3, 6))
    [3]
    """

    bits: int

    @classmethod
    def of(cls, *numbers: int) -> "PocketSet":
        """The set of these pockets."""
        return cls.from_numbers(numbers)

    @classmethod
    def from_numbers(cls, numbers: Iterable[int]) -> "PocketSet":
        """The set of these pockets; raises ValueError on a number that the wheel does not have."""
        bits = 0
        for number in numbers:
            if not 0 <= number <= 36:
                raise ValueError(f"{number} is no pocket of the wheel")
            bits |= 1 << number
        return cls(bits)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number >= 0 and bool(self.bits >> number & 1)

    def __iter__(self) -> Iterator[int]:
        return (number for number in range(self.bits.bit_length()) if self.bits >> number & 1)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __or__(self, other: "PocketSet") -> "PocketSet":
        return PocketSet(self.bits | other.bits)

    def __and__(self, other: "PocketSet") -> "PocketSet":
        return PocketSet(self.bits & other.bits)

    def __sub__(self, other: "PocketSet") -> "PocketSet":
        return PocketSet(self.bits & ~other.bits)

    def __repr__(self) -> str:
        return f"PocketSet.of({', '.join(map(str, self))})"
