"""The ids of docs/rules-ids.txt against the legal texts of docs/law/: every rule has one, and no word is left over.

The texts are cut here a second time, by rules of this file's own, so that the ids file is not its own witness.
"""

import hashlib
import re
from pathlib import Path

import pytest

from tools import traceability

ROOT = Path(__file__).resolve().parents[2]
LAW = {
    "pt": "docs/law/pt-807-2015.txt",
    "fr-francaise": "docs/law/fr-roulette-francaise.txt",
    "fr-anglaise": "docs/law/fr-roulette-anglaise.txt",
}
DIGESTS = {
    "pt": "a218c1dfe2977fc93df5d0fee4f321b8ebf8f27ce41700c9a6cae34d114ccf0f",
    "fr-francaise": "2d5e54e916d095bdca05eec30a1cb15478b15114f96bfc3b4bc63edd90339a7d",
    "fr-anglaise": "9304fdf58bc61b842bac72d779f65af1257d1c9ee4f104c85f952539d2166692",
}
COUNTS = {"pt": 97, "fr-francaise": 56, "fr-anglaise": 57}

# Lines of the French texts that lay down nothing by themselves.
HEADING = re.compile(
    r"SECTION \d+|ARTICLE [\d-]+|[AB]\.? - Chances (multiples|simples) :"
    r"|(Fonctionnement de|Combinaisons autorisées au jeu de|Maxima et minima des enjeux à)"
    r" la roulette (française\.|anglaise)"
    r"|Règles particulières applicables à la roulette dite anglaise"
)
AMENDMENT = re.compile(r"\(Arrêté du [^()]+\)")


def law(code):
    return (ROOT / LAW[code]).read_text(encoding="utf-8")


def entries(code):
    """The lines of the ids file that belong to one text, as (id or None, quotation): None is a part without a rule."""
    found, current = [], None
    for line in (ROOT / traceability.IDS_FILE).read_text(encoding="utf-8").splitlines():
        if line.startswith("# @ "):
            current = line.removeprefix("# @ ")
        elif current == LAW[code] and line.startswith("# = "):
            found.append((None, line.removeprefix("# = ")))
        elif current == LAW[code] and line and not line.startswith("#"):
            found.append(tuple(line.split("\t")))
    return found


def ids(code):
    return [(rule, words) for rule, words in entries(code) if rule]


def cut_portuguese(text):
    """The preamble's numbers, then the annex by its own counting: a number counts only where it is the next one."""
    preamble, annex = " ".join(text.split()).split(" ANNEX ")
    rules = [
        (f"pt:p{found[1]}", preamble[found.start() :]) for found in re.finditer(r"(?<=[.:] )(\d)\. (?=[A-Z])", preamble)
    ]
    number, letter = 0, ""
    for found in re.finditer(r"(?<!\S)(?:(\d{1,2})( -|\.)? (?=[A-Z])|([a-h])\) |([ivx]+)\) )", annex):
        if found[1]:
            if int(found[1]) != number + 1:
                continue
            number, letter = number + 1, ""
            rule = f"pt:{number}"
        elif found[3]:
            letter = found[3]
            rule = f"pt:{number}{letter}"
        else:
            rule = f"pt:{number}{letter}-{found[4]}"
        rules.append((rule, annex[found.start() :]))
    return rules


def cut_french(text):
    """Sentence by sentence: a line ends one, and so does a full stop before a capital, with the quotation it closes."""
    sentences = []
    for line in text.splitlines():
        rest = AMENDMENT.sub("", line).strip()
        if not rest or HEADING.fullmatch(rest):
            continue
        begin, quoted = 0, False
        for at, character in enumerate(rest):
            if character == '"':
                quoted = not quoted
            if character == ".":
                end = at + 3 if quoted and rest[at + 1 : at + 3] == ' "' else at + 1
                if re.match(r' ["A-ZÀÂÉÈÊÔ]', rest[end:]):
                    sentences.append(rest[begin:end].strip())
                    begin = end
        sentences.append(rest[begin:].strip())
    return sentences


@pytest.mark.parametrize("code", LAW)
def test_the_legal_texts_are_never_edited(code):
    assert hashlib.sha256((ROOT / LAW[code]).read_bytes()).hexdigest() == DIGESTS[code]


@pytest.mark.parametrize("code", LAW)
def test_every_id_belongs_to_the_text_it_stands_under(code):
    assert {rule.partition(":")[0] for rule, _ in ids(code)} == {code}
    assert len(ids(code)) == len({rule for rule, _ in ids(code)}) == COUNTS[code]


def test_the_ids_file_holds_nothing_but_the_three_texts():
    assert list(traceability.read_ids(ROOT)) == [rule for code in LAW for rule, _ in ids(code)]


@pytest.mark.parametrize("code", LAW)
def test_the_entries_cover_their_text_word_for_word_and_in_order(code):
    """Each entry begins where the one before it ends; a rule runs to the next, all else is quoted whole."""
    text = law(code)
    at = 0
    listed = entries(code)
    for position, (rule, words) in enumerate(listed):
        at += len(text[at:]) - len(text[at:].lstrip())
        assert text.startswith(words, at), (
            f"{rule or 'a part without a rule'}: {words!r} is not at {text[at : at + 60]!r}"
        )
        at += len(words)
        if rule:
            after = listed[position + 1][1] if position + 1 < len(listed) else None
            at = len(text) if after is None else text.find(after, at)
            assert at >= 0, f"{after!r} does not follow {rule}"
    assert text[at:].strip() == ""


def test_each_number_letter_and_item_of_the_portuguese_text_has_an_id():
    cut = cut_portuguese(law("pt"))
    assert [rule for rule, _ in cut] == [rule for rule, _ in ids("pt")]
    for (rule, words), (_, begins) in zip(ids("pt"), cut, strict=True):
        assert begins.startswith(words), rule


def test_the_portuguese_text_has_five_numbers_and_thirty_three_rules():
    numbers = [rule for rule, _ in ids("pt") if re.fullmatch(r"pt:p?\d+", rule)]
    assert numbers == [f"pt:p{number}" for number in range(1, 6)] + [f"pt:{number}" for number in range(1, 34)]


@pytest.mark.parametrize("code", ["fr-francaise", "fr-anglaise"])
def test_each_sentence_of_the_french_texts_has_an_id(code):
    sentences = cut_french(law(code))
    assert [rule for rule, _ in ids(code)] == [f"{code}:{number}" for number in range(1, len(sentences) + 1)]
    for (rule, words), sentence in zip(ids(code), sentences, strict=True):
        assert sentence.startswith(words), rule


@pytest.mark.parametrize("code", ["fr-francaise", "fr-anglaise"])
def test_the_headings_of_the_french_texts_are_those_the_ids_file_names(code):
    lines = [AMENDMENT.sub("", line).strip() for line in law(code).splitlines()]
    headings = [line for line in lines if HEADING.fullmatch(line)]
    amendments = AMENDMENT.findall(law(code))
    named = [words for rule, words in entries(code) if not rule]
    assert [words for words in named if not AMENDMENT.fullmatch(words)] == headings
    assert [words for words in named if AMENDMENT.fullmatch(words)] == amendments


@pytest.mark.parametrize("code", LAW)
def test_a_quotation_is_short_and_told_apart_from_every_other(code):
    words = [quotation for _, quotation in ids(code)]
    assert len(words) == len(set(words))
    assert max(len(quotation.split()) for quotation in words) <= 15
