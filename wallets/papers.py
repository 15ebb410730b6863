"""What files players may send of their identity papers. Files are judged by what is in them; nobody looks at names.

A picture must be one from its first byte to its last and nothing besides: what is a picture to one program and a page
with script to another would act in the browser of the staff who open it. No picture is decoded here.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from roulette_site.common.errors import RuleBroken

MOST_FILES = 4
MOST_BYTES = 10 * 1024 * 1024
# What a browser would unpack one small file into.
MOST_PIXELS = 120_000_000

_JPEG, _PNG, _PDF = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"%PDF-"
_TOO_LITTLE = "There is no picture in this file."
_MORE_INSIDE = "There is something besides a picture in this file. Take the photograph anew and send that."
_DAMAGED = "This file is damaged. Take the photograph anew."
# Begins a page, a script or a document inside of something else.
_FOREIGN = re.compile(rb"<script|<html[\s>]|<svg[\s>]|<!doctype|<iframe|<\?php|%pdf-", re.IGNORECASE)

# Markers of JPEG: beginning and end of the picture, beginning of the scan; those with its size are most of a row.
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# These stand alone: no length follows.
_ALONE = frozenset((0x01, *range(0xD0, 0xD8)))

_STREAM = re.compile(rb"stream\r?\n.*?endstream", re.DOTALL)
_PACKED = re.compile(rb"/ObjStm\b[^\0]{0,400}?stream\r?\n(.*?)endstream", re.DOTALL)
_ESCAPE = re.compile(rb"#([0-9a-fA-F]{2})")
_ACTIVE = re.compile(rb"/(?:JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|XFA|GoToE|GoToR|SubmitForm|ImportData)\b")
_LOCKED = re.compile(rb"/Encrypt\b")
_UNPACKED_AT_MOST = 4 * 1024 * 1024


class PaperRefused(RuleBroken):
    """This file is no photograph or scan of identity papers."""

    code = "paper_refused"
    http_status = 422


class PaperTooBig(PaperRefused):
    """The file is larger than a photograph needs to be."""

    code = "paper_too_big"


@dataclass(frozen=True)
class Paper:
    """A file as it is kept: a picture or scan, and nothing else."""

    media_type: str
    content: bytes


def check_paper(content: bytes) -> Paper:
    """Return a photograph (JPEG, PNG) or scan (PDF) as it may be kept; raises PaperTooBig or PaperRefused."""
    if not content:
        raise PaperRefused("This file is empty.")
    if len(content) > MOST_BYTES:
        raise PaperTooBig(f"A file has {MOST_BYTES // 1024**2} MB at most.", most_bytes=MOST_BYTES)
    if content.startswith(_JPEG):
        return Paper("image/jpeg", _picture_of_jpeg(content))
    if content.startswith(_PNG):
        _check_png(content)
        return Paper("image/png", content)
    if content.startswith(_PDF):
        _check_pdf(content)
        return Paper("application/pdf", content)
    raise PaperRefused("Send a photograph (JPEG or PNG) or a scan (PDF): this file is neither, whatever it is called.")


def _picture_of_jpeg(content: bytes) -> bytes:
    """Walk the segments to the end of the picture, and leave out what telephones put behind it."""
    at, has_size, has_scan = 2, False, False
    while at + 2 <= len(content):
        if content[at] != 0xFF:
            raise PaperRefused(_DAMAGED)
        marker = content[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == _EOI:
            if not (has_size and has_scan):
                raise PaperRefused(_TOO_LITTLE)
            picture, rest = content[: at + 2], content[at + 2 :]
            # A second picture with the bright parts, a short film, or zeros.
            is_known = rest.startswith(_JPEG) or rest[4:8] == b"ftyp" or not rest.strip(b"\0")
            _refuse_foreign(content, rest=b"" if is_known else rest)
            return picture
        at += 2
        if marker in _ALONE:
            continue
        length = int.from_bytes(content[at : at + 2], "big")
        if marker in (0x00, _SOI) or length < 2 or at + length > len(content):
            raise PaperRefused(_DAMAGED)
        if marker in _SIZES:
            height, width = struct.unpack(">HH", content[at + 3 : at + 7].ljust(4, b"\0"))
            _check_pixels(width, height)
            has_size = True
        at += length
        if marker == _SOS:
            has_scan = True
            at = _end_of_scan(content, at)
    raise PaperRefused(_DAMAGED)


def _end_of_scan(content: bytes, at: int) -> int:
    """Where the next marker stands: in a scan a byte FF is followed by zero, or by a mark to restart from."""
    while (at := content.find(b"\xff", at)) >= 0 and at + 1 < len(content):
        following = content[at + 1]
        if following and following not in _ALONE:
            return at
        at += 2
    raise PaperRefused(_DAMAGED)


def _check_png(content: bytes) -> None:
    """Walk the chunks, each with its checksum, to the last, which ends the file."""
    at, kinds = len(_PNG), list[bytes]()
    while at + 12 <= len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        end = at + 12 + length
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        if end > len(content) or zlib.crc32(kind + body) != int.from_bytes(content[end - 4 : end], "big"):
            raise PaperRefused(_DAMAGED)
        if not kinds:
            if kind != b"IHDR" or length != 13:
                raise PaperRefused(_DAMAGED)
            _check_pixels(*struct.unpack(">II", body[:8]))
        kinds.append(kind)
        at = end
        if kind == b"IEND":
            if b"IDAT" not in kinds:
                raise PaperRefused(_TOO_LITTLE)
            _refuse_foreign(content, rest=content[at:])
            return
    raise PaperRefused(_DAMAGED)


def _check_pixels(width: int, height: int) -> None:
    if not (width and height):
        raise PaperRefused(_TOO_LITTLE)
    if width * height > MOST_PIXELS:
        raise PaperTooBig("This picture has more points than any camera makes.", most_pixels=MOST_PIXELS)


def _refuse_foreign(picture: bytes, *, rest: bytes) -> None:
    if rest or _FOREIGN.search(picture):
        raise PaperRefused(_MORE_INSIDE)


def _check_pdf(content: bytes) -> None:
    """Let scans pass and no forms, scripts or files inside; what cannot be looked into is refused."""
    body, mark, rest = content.rpartition(b"%%EOF")
    if not mark or rest.strip(b"\r\n\0 "):
        raise PaperRefused(_MORE_INSIDE if mark else _DAMAGED)
    outside = _STREAM.sub(b" ", body)
    if _FOREIGN.search(outside[len(_PDF) :]):
        raise PaperRefused(_MORE_INSIDE)
    for text in chain((outside,), _packed(body)):
        # A name may be written with any letter of it as a number.
        names = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), text)
        if _LOCKED.search(names):
            raise PaperRefused("This PDF is locked. Send one that opens without a password, or a photograph.")
        if _ACTIVE.search(names):
            raise PaperRefused("There is a form, a script or another file in this PDF. Send a photograph instead.")


def _packed(body: bytes) -> Iterator[bytes]:
    """The objects that a PDF keeps compressed, each as far as anybody would read it."""
    for found in _PACKED.finditer(body):
        try:
            yield zlib.decompressobj().decompress(found[1], _UNPACKED_AT_MOST)
        except zlib.error:
            raise PaperRefused(_DAMAGED) from None
