"""Rules about people that need no database: names, birth dates, and the one way in which each is written to compare."""

import datetime as dt
import unicodedata
from importlib.resources import files

from roulette_site.common.errors import RuleBroken

FULL_AGE = 18
OLDEST_AGE = 120
LONGEST_NAME = 150
LONGEST_DOCUMENT_NUMBER = 40
# What stands in a name beside letters and their marks.
_IN_NAMES = frozenset(" '’.·-")  # noqa: RUF001


class NameRefused(RuleBroken):
    """This is not a name as people have them."""

    code = "name_refused"
    http_status = 422


class BirthDateRefused(RuleBroken):
    """Nobody who could register was born on that day."""

    code = "birth_date_refused"
    http_status = 422


class TooYoung(RuleBroken):
    """Only adults play."""

    code = "too_young"
    http_status = 422


class DocumentRefused(RuleBroken):
    """This is not the number of a document."""

    code = "document_refused"
    http_status = 422


def check_full_name(text: str) -> str:
    """Return the name in its one written form; raises NameRefused.

    Formulas, marks that turn the direction of writing, and other invisible characters would act in the lists and files
    that staff open, so only what names are made of is let through.
    """
    if len(text) > LONGEST_NAME:
        raise NameRefused(f"A name has {LONGEST_NAME} characters at most.", longest=LONGEST_NAME)
    name = " ".join(one for one in unicodedata.normalize("NFC", text).split(" ") if one)
    if not name:
        raise NameRefused("A name is needed.")
    if not name[0].isalpha():
        raise NameRefused("A name begins with a letter.")
    for character in name:
        if unicodedata.category(character)[0] not in "LM" and character not in _IN_NAMES:
            shown = character if character.isprintable() else f"U+{ord(character):04X}"
            raise NameRefused(f"A name has letters, spaces, hyphens and apostrophes: not {shown}.", character=shown)
    return name


def age_on(birth_date: dt.date, day: dt.date) -> int:
    """Return the age in whole years. Who was born on 29 February is a year older on 1 March of common years."""
    return day.year - birth_date.year - ((day.month, day.day) < (birth_date.month, birth_date.day))


def check_birth_date(birth_date: dt.date, *, today: dt.date) -> None:
    """Let adults pass; raises BirthDateRefused for days that cannot be, TooYoung for minors."""
    if birth_date >= today:
        raise BirthDateRefused("A birth date lies in the past.")
    age = age_on(birth_date, today)
    if age > OLDEST_AGE:
        raise BirthDateRefused("Nobody is that old: please check the year.")
    if age < FULL_AGE:
        raise TooYoung(f"Only people of {FULL_AGE} and over may play.")


def check_document_number(text: str) -> str:
    """Return the number as it is written on the document; raises DocumentRefused."""
    number = text.strip(" ")
    known = all(one.isascii() and (one.isalnum() or one in " -./") for one in number)
    if not document_key(number) or len(number) > LONGEST_DOCUMENT_NUMBER or not known:
        raise DocumentRefused("The number of a document has letters, digits and few other signs.")
    return number


def email_key(text: str) -> str:
    """Return an address as it is compared: nobody has a second account by writing it in capitals."""
    return unicodedata.normalize("NFC", text).strip().casefold()


def name_key(text: str) -> str:
    """Return a name as it is compared: no accents, no capitals, and no signs.

    >>> name_key("  João  d’Ávila-Sá "), name_key("JOAO D'AVILA SA")
    ('joao davila sa', 'joao davila sa')
    """  # noqa: RUF002
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = (one if one.isalpha() else " " if one in " -" else "" for one in plain)
    return " ".join("".join(letters).split())


def document_key(text: str) -> str:
    """Return the number of a document as it is compared.

    >>> document_key("ab 12-34.5")
    'AB12345'
    """
    return "".join(one for one in unicodedata.normalize("NFKC", text).upper() if one.isalnum())


def is_idle(*, seen_at: dt.datetime, at: dt.datetime, idle_seconds: int) -> bool:
    """Tell whether somebody who was last seen at `seen_at` has to log in again at `at`.

    A clock that was set back makes nobody idle.
    """
    return at - seen_at >= dt.timedelta(seconds=idle_seconds)


def _read_countries() -> dict[str, str]:
    """Read ISO 3166-1 from the time zone database, which the system has in any case."""
    lines = (files("tzdata.zoneinfo") / "iso3166.tab").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return dict(sorted(((code, name) for code, name in rows), key=lambda row: name_key(row[1])))


COUNTRIES = _read_countries()
# The pages speak English so far; who prefers another language is written to in it once they speak it.
LANGUAGES = {"en": "English", "pt": "Português", "fr": "Français"}
