"""The number of a bank account: what is let through, and what is said of the rest."""

import pytest

from wallets.iban import LENGTH_OF, IbanRefused, check_iban, mask_iban

# From the IBAN registry: its example for each of some countries.
EXAMPLES = [
    "PT50000201231234567890154", "FR1420041010050500013M02606", "DE89370400440532013000", "ES9121000418450200051332",
    "NO9386011117947", "MT84MALT011000012345MTLCAST001S", "GB29NWBK60161331926819", "BE68539007547034",
    "LC55HEMM000100010012001200023015", "SC18SSCB11010000000000001497USD",
]  # fmt: skip
GOOD = EXAMPLES[0]


@pytest.mark.parametrize("number", EXAMPLES)
def test_examples_of_the_registry_pass(number: str) -> None:
    assert check_iban(number) == number
    spaced = " ".join(number[at : at + 4] for at in range(0, len(number), 4))
    assert check_iban(f" {spaced.lower()} ") == number


@pytest.mark.parametrize("number", EXAMPLES)
def test_every_other_digit_and_every_two_changed_places_are_found(number: str) -> None:
    for at, one in enumerate(number):
        if one.isdigit():
            for other in set("0123456789") - {one}:
                with pytest.raises(IbanRefused):
                    check_iban(number[:at] + other + number[at + 1 :])
        if at and one != number[at - 1] and one.isdigit() and number[at - 1].isdigit():
            with pytest.raises(IbanRefused):
                check_iban(number[: at - 1] + one + number[at - 1] + number[at + 1 :])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "two letters"),
        ("=HYPERLINK(1)", "two letters"),
        ("PT50\u202e000201231234567890154", "two letters"),
        ("ＰＴ50000201231234567890154", "two letters"),
        ("PT5000020123123456789015٤", "two letters"),
        ("PT50\0" + GOOD[5:], "two letters"),
        ("P" * 4000, "two letters"),
        (f"{GOOD};DROP TABLE", "two letters"),
        (GOOD[:-1], "has 25 characters"),
        (f"{GOOD}0", "has 25 characters"),
        ("XX50000201231234567890154", "No country"),
        ("PT51000201231234567890154", "do not fit"),
    ],
)
def test_what_is_none_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(IbanRefused, match=said):
        check_iban(text)


def test_check_digits_that_no_bank_computes_are_refused() -> None:
    """98 and 01 leave the same remainder, and so do 97 and 00, 02 and 99."""
    found = 0
    for account in range(4000):
        for right, wrong in (("98", "01"), ("97", "00"), ("02", "99")):
            number = f"BE{right}{account:012}"
            try:
                check_iban(number)
            except IbanRefused:
                continue
            found += 1
            with pytest.raises(IbanRefused):
                check_iban(f"BE{wrong}{account:012}")
    assert found > 10


def test_only_head_and_end_are_shown() -> None:
    assert mask_iban(GOOD) == "PT50 **** 0154"
    assert len(LENGTH_OF) > 75
