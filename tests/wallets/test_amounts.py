"""Amounts as they are typed and shown: the cases of tests/cases/amount.json, and what is near them."""

import json
from pathlib import Path

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from roulette_site.common.errors import RuleBroken
from wallets.amounts import STYLES, InvalidAmount, format_cents, format_typed_cents, parse_cents, parse_typed_cents
from wallets.templatetags.money import amount, message_of, money, money_signed, short_amount

CASES = json.loads((Path(__file__).parents[1] / "cases" / "amount.json").read_text())
LANGUAGES = sorted(STYLES)


def read(channel: str, text: object) -> int:
    if channel.startswith("form"):
        assert isinstance(text, str)
        return parse_typed_cents(text, channel.removeprefix("form "))
    return parse_cents(text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_cases(case: dict) -> None:
    asked, expected = case["given"], case["expect"]
    if "display" in asked:
        cents = parse_cents(asked["display"])
        shown = format_typed_cents(cents, asked["locale"])
        assert shown == expected["text"]
        assert format_cents(parse_typed_cents(shown, asked["locale"])) == expected["parses_back"]
    elif expected.get("accept", True):
        assert format_cents(read(asked["channel"], asked["text"])) == expected["value"]
    else:
        with pytest.raises(InvalidAmount):
            read(asked["channel"], asked["text"])


@pytest.mark.parametrize(
    ("language", "text", "cents"),
    [
        ("pt", "12,5", 12_50), ("pt", "1.234", 1234_00), ("pt", "1 234,56", 1234_56), ("pt-PT", "12,50 €", 12_50),
        ("fr", "1\u202f234\u202f567,8", 1_234_567_80), ("fr", " 9,99\u00a0€ ", 9_99), ("en", "1,234.56", 1234_56),
        ("en", "1\u202f234.50\u00a0€", 1234_50), ("en-GB", "0.05", 5), ("de", "12.50", 12_50), ("pt", "0", 0),
        ("en", "999999999999999.99", 999_999_999_999_999_99),
    ],
)  # fmt: skip
def test_what_is_typed(language: str, text: str, cents: int) -> None:
    assert parse_typed_cents(text, language) == cents


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    ["", " ", "€", "1e3", "0x10", "1,2,3", "1.2.3", "12 34", "1 2345", "1  234", "--1", "\u0661", "\uff15", "5\n", "5\n€",
     "1.234 567,00", "1,234 567.00", "1234 567", "NaN", "12,", "12.", ",50", ".50", "9" * 16, "9" * 5000, "½", "5 €€", "€5",
     "5\0", "\u202e5", "0.001", "0,001"],
)  # fmt: skip
def test_what_is_no_amount_in_any_language(language: str, text: str) -> None:
    with pytest.raises(InvalidAmount):
        parse_typed_cents(text, language)


@pytest.mark.parametrize(("language", "text"), [("pt", "12.50"), ("fr", "12.50"), ("en", "12,50"), ("fr", "1,234.56")])
def test_another_languages_cents_are_not_guessed_at(language: str, text: str) -> None:
    with pytest.raises(InvalidAmount):
        parse_typed_cents(text, language)


@given(st.integers(0, 10**17 - 1), st.sampled_from(LANGUAGES))
def test_what_is_shown_can_be_typed_back(cents: int, language: str) -> None:
    assert parse_typed_cents(format_typed_cents(cents, language), language) == cents
    with override(language):
        assert parse_typed_cents(money(cents), language) == cents


def test_pages_show_amounts_in_the_readers_language() -> None:
    shown = {}
    for language in LANGUAGES:
        with override(language):
            shown[language] = (amount(123456), money_signed(-1250))
    assert shown == {
        "en": ("1\u202f234.56", "\u221212.50\u00a0€"),
        "fr": ("1\u202f234,56", "\u221212,50\u00a0€"),
        "pt": ("1.234,56", "\u221212,50\u00a0€"),
    }


def test_chips_say_their_value_as_the_page_around_them_does() -> None:
    shown = {}
    for language in LANGUAGES:
        with override(language):
            shown[language] = [short_amount(cents) for cents in (50, 5_00, 12_50, 999_99, 1000_00, 2500_00, 25_000_00)]
    assert shown["en"] == ["0.50", "5", "12.50", "999.99", "1k", "2.5k", "25k"]
    assert shown["pt"] == shown["fr"] == ["0,50", "5", "12,50", "999,99", "1k", "2,5k", "25k"]


def test_a_refusal_writes_its_amounts_for_its_reader() -> None:
    refused = RuleBroken("The limit leaves {left} of {cap}.", left_cents=30_00, cap_cents=1234_56, period="day")
    assert refused.message == str(refused) == "The limit leaves 30.00 of 1234.56."
    assert refused.written_details == {"left": "30.00", "cap": "1234.56", "period": "day"}
    shown = {}
    for language in LANGUAGES:
        with override(language):
            shown[language] = message_of(refused)
    assert shown == {
        "en": "The limit leaves 30.00 of 1\u202f234.56.",
        "fr": "The limit leaves 30,00 of 1\u202f234,56.",
        "pt": "The limit leaves 30,00 of 1.234,56.",
    }


def test_a_refusal_that_quotes_braces_has_them_as_they_are() -> None:
    refused = RuleBroken('The bets cannot be read: {"type": {}', field="bets", left_cents=None)
    assert refused.message == 'The bets cannot be read: {"type": {}'
    assert refused.written_details == {"field": "bets", "left": None}
