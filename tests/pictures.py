"""Pictures and scans of identity papers for tests, made by hand: small, whole, and of nobody."""

import struct
import zlib


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int = 2, height: int = 2, *, extra: bytes = b"") -> bytes:
    """A grey picture; `extra` are chunks before its points."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    points = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(height)) if width * height < 10**6 else b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", points) + chunk(b"IEND", b"")


def segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def jpeg(width: int = 8, height: int = 8, *, extra: bytes = b"") -> bytes:
    """The segments of a grey picture of eight points a side, with a restart and a zero in its scan."""
    size = segment(0xC0, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00")
    scan = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x12\xff\x00\x34\xff\xd0\x56"
    return b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + extra + size + scan + b"\xff\xd9"


def pdf(inside: bytes = b"", *, packed: bytes = b"", after: bytes = b"\n") -> bytes:
    """A page; `inside` is written between its objects, `packed` into compressed ones."""
    objects = b"1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n" + inside
    if packed:
        stream = zlib.compress(packed)
        head = b"9 0 obj <</Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length %d>>\n" % len(stream)
        objects += head + b"stream\n" + stream + b"\nendstream endobj\n"
    return b"%PDF-1.7\n" + objects + b"trailer <</Root 1 0 R>>\n%%EOF" + after
