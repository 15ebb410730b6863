"""The people of the demonstration: one button each on /demo/, but for the bots."""

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True)
class Persona:
    """Someone a visitor can become. `roles` are groups of the staff; a player has none."""

    email: str
    name: str
    story: str
    balance_cents: int = 0
    roles: tuple[str, ...] = ()
    birth_date: dt.date = dt.date(1980, 1, 1)
    # An account of the house's own for trying things out.
    is_test: bool = False
    # Named by the demonstration's register of excluded people.
    is_listed: bool = False

    @property
    def is_staff(self) -> bool:
        return bool(self.roles)

    @property
    def handle(self) -> str:
        return self.email.partition("@")[0]


PLAYERS = (
    Persona(
        "maria@demo.example",
        "Maria",
        "250.00 in her wallet and 14 days of play at Solo to look back on.",
        25000,
        birth_date=dt.date(1988, 4, 17),
    ),
    Persona(
        "joao@demo.example",
        "João",
        "A fresh wallet of 1,000.00 and no history yet.",
        100000,
        birth_date=dt.date(1995, 9, 2),
    ),
    Persona(
        "ines@demo.example",
        "Inês",
        "60.00, a loss limit of 100.00 a day of which 92.50 are used, and a looser one to confirm in 16 hours.",
        15250,
        birth_date=dt.date(2000, 2, 29),
    ),
    Persona(
        "rui@demo.example",
        "Rui",
        "Excluded himself for three months two days ago: no bet, no deposit, and 40.00 to withdraw.",
        4000,
        birth_date=dt.date(1979, 11, 5),
    ),
    Persona(
        "sofia@demo.example",
        "Sofia",
        "Has paid in 20.00 and sent her papers: until they are looked at she plays for nothing.",
        2000,
        birth_date=dt.date(2003, 6, 21),
    ),
    Persona(
        "nuno@demo.example",
        "Nuno",
        "Has shown the identity card that João has: one account a person, so compliance looks at both.",
        1000,
        birth_date=dt.date(1995, 2, 9),
    ),
    Persona(
        "tiago@demo.example",
        "Tiago",
        "80.00, and a goodwill of 25.00 that one of finance has asked for and another decides.",
        8000,
        birth_date=dt.date(1991, 12, 3),
    ),
    Persona(
        "vasco@demo.example",
        "Vasco",
        "Named by the register of excluded people: no bet, no deposit, and 30.00 to withdraw.",
        3000,
        birth_date=dt.date(1984, 8, 23),
        is_listed=True,
    ),
    Persona(
        "teste@demo.example",
        "Teste",
        "The house's own test account: marked, capped, and in no figure.",
        10000,
        is_test=True,
    ),
)

_FLOOR = "Floor manager: tables and rounds."
_COMPLIANCE = "Compliance: the specific rules, and what protects players."
_FINANCE = "Finance: cash desk, findings, adjustments."

# Two of each role in which one will have to confirm what the other has done.
STAFF = (
    Persona("floor@demo.example", "Francisco", _FLOOR, roles=("Floor manager",)),
    Persona("floor2@demo.example", "Fernanda", _FLOOR, roles=("Floor manager",)),
    Persona("compliance@demo.example", "Catarina", _COMPLIANCE, roles=("Compliance",)),
    Persona("compliance2@demo.example", "Duarte", _COMPLIANCE, roles=("Compliance",)),
    Persona("finance@demo.example", "Filipa", _FINANCE, roles=("Finance",)),
    Persona("finance2@demo.example", "Gonçalo", _FINANCE, roles=("Finance",)),
    Persona("support@demo.example", "Simão", "Support: players and their sessions.", roles=("Support",)),
    Persona("auditor@demo.example", "Augusta", "Auditor: reads everything, changes nothing.", roles=("Auditor",)),
    Persona("regulator@demo.example", "Rosa", "Regulator: reads everything, changes nothing.", roles=("Regulator",)),
    Persona("admin@demo.example", "Adriano", "Administrator: users and their roles.", roles=("Administrator",)),
)

PERSONAS = (*PLAYERS, *STAFF)


@dataclass(frozen=True)
class BotPerson:
    """A player made of code, who plays Solo through the public API. Nobody logs in as one."""

    handle: str
    full_name: str
    favourite: int
    birth_date: dt.date


# One name for each letter; the favourite numbers lie all over the wheel.
_BOT_NAMES = {
    "amalia": "Amália", "baltasar": "Baltasar", "clara": "Clara", "dinis": "Dinis", "eva": "Eva",
    "fausto": "Fausto", "gloria": "Glória", "hugo": "Hugo", "irene": "Irene", "jaime": "Jaime",
    "katia": "Kátia", "lucia": "Lúcia", "mario": "Mário", "noemia": "Noémia", "olavo": "Olavo",
    "paula": "Paula", "quim": "Quim", "raquel": "Raquel", "samuel": "Samuel", "teresa": "Teresa",
    "urbano": "Urbano", "vera": "Vera", "wanda": "Wanda", "xavier": "Xavier", "zulmira": "Zulmira",
}  # fmt: skip

BOTS = tuple(
    BotPerson(f"bot-{handle}", f"{name} (bot)", favourite=(7 * n) % 37, birth_date=dt.date(1960 + n, 1 + n % 12, 1 + n))
    for n, (handle, name) in enumerate(_BOT_NAMES.items())
)
