"""What waits for staff when a visitor arrives: papers, an account that may be a double, and two requests."""

import datetime as dt
import struct
import zlib

from django.db import transaction

from roulette_site.common.four_eyes import make_request
from wallets.acts.money import ADJUST
from wallets.acts.protection import LIFT
from wallets.models import DocumentType, Exclusion, Player, User
from wallets.services.papers import send_papers
from wallets.services.people import record_document

# A card on a table, in points and in grey: its margin, and what is drawn on it as left, top, right, bottom, shade.
WIDTH, HEIGHT = 640, 420
TABLE_SHADE = 70
CARD = (
    (20, 20, 620, 400, 225),
    (20, 20, 620, 76, 150),
    (52, 112, 232, 340, 175),
    (102, 142, 182, 232, 120),
    (76, 246, 208, 340, 120),
    *((264, top, right, top + 14, 110) for top, right in ((120, 560), (160, 500), (200, 540), (240, 420))),
    (264, 300, 588, 340, 200),
)
DOCUMENT_OF_TWO = "DEMO 4711 0815"


def draw_card() -> bytes:
    """An identity card of nobody as a PNG: a picture for those who look at papers in the demonstration."""
    rows = [bytearray([TABLE_SHADE]) * WIDTH for _ in range(HEIGHT)]
    for left, top, right, bottom, shade in CARD:
        for row in rows[top:bottom]:
            row[left:right] = bytes([shade]) * (right - left)
    points = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", points) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def seed_papers(*, at: dt.datetime) -> None:
    """Let Sofia and Nuno send their papers: hers only wait, his show the document that João has."""
    for handle in ("sofia", "nuno"):
        send_papers(player=_player(handle), contents=[draw_card()], at=at)
    for handle in ("joao", "nuno"):
        record_document(
            user=_player(handle).user,
            document_type=DocumentType.IDENTITY_CARD,
            number=DOCUMENT_OF_TWO,
            country="PT",
            at=at,
        )


def seed_requests(*, at: dt.datetime) -> None:
    """Let finance ask for a goodwill of 25.00 for Tiago, and compliance for an end that it may not have: Rui's own."""
    tiago, rui = _player("tiago"), _player("rui")
    with transaction.atomic():
        make_request(
            act=ADJUST,
            arguments={"player": tiago.pk, "direction": "credit", "amount_cents": 25_00, "cause": "goodwill"},
            user=_staff("finance"),
            reason="The table stood still for an hour on Saturday",
            evidence="Log of the table, 02:10 to 03:05",
            at=at,
        )
        make_request(
            act=LIFT,
            arguments={"player": rui.pk, "exclusion": Exclusion.objects.get(player=rui).pk},
            user=_staff("compliance"),
            reason="He called and says that he feels well again",
            at=at,
        )


def _player(handle: str) -> Player:
    return Player.objects.select_related("user").get(handle=handle)


def _staff(handle: str) -> User:
    return User.objects.get(email=f"{handle}@demo.example")
