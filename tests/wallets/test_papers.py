"""Which files pass for identity papers: judged from the first byte to the last, and never by a name."""

import pytest

from tests.pictures import chunk, jpeg, pdf, png, segment
from wallets.papers import MOST_BYTES, PaperRefused, PaperTooBig, check_paper

SCRIPT = b"<script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HOSTILE = {
    "nothing": b"",
    "a program": b"MZ\x90\0\x03" + b"\0" * 500,
    "a page": b"<!doctype html>" + SCRIPT,
    "a drawing with script": SVG,
    "a drawing that says it is XML": b'<?xml version="1.0"?>' + SVG,
    "an archive": b"PK\x03\x04" + b"\0" * 200,
    "a moving picture": b"GIF89a" + b"\0" * 50,
    "a picture as telephones keep it for themselves": b"\0\0\0\x18ftypheic" + b"\0" * 50,
    "magic bytes alone, JPEG": b"\xff\xd8\xff",
    "magic bytes alone, PNG": b"\x89PNG\r\n\x1a\n",
    "magic bytes and a page, JPEG": b"\xff\xd8\xff\xe0" + SCRIPT,
    "magic bytes and a page, PNG": b"\x89PNG\r\n\x1a\n" + SCRIPT,
    "magic bytes and a page, PDF": b"%PDF-1.7\n" + SCRIPT,
    "a picture and a page behind it, JPEG": jpeg() + SCRIPT,
    "a picture and a page behind it, PNG": png() + SCRIPT,
    "a picture and an archive behind it": jpeg() + b"PK\x03\x04" + b"\0" * 100,
    "a picture and an archive behind it, PNG": png() + b"PK\x03\x04",
    "a picture and a program behind it": jpeg() + b"MZ\x90",
    "a film behind the picture that is a page": jpeg() + b"\0\0\0\x18ftyp" + SCRIPT,
    "a page in the remarks, JPEG": jpeg(extra=segment(0xFE, SCRIPT)),
    "a page in the remarks, PNG": png(extra=chunk(b"tEXt", b"Comment\0" + SCRIPT.upper())),
    "a document in the remarks": jpeg(extra=segment(0xFE, b"%PDF-1.4")),
    "PHP in the remarks": jpeg(extra=segment(0xFE, b"<?php system($_GET[1]);")),
    "cut off, JPEG": jpeg()[:-2],
    "cut off, PNG": png()[:-3],
    "cut off, PDF": pdf()[:-6],
    "a segment longer than the file": b"\xff\xd8\xff\xe0\xff\xff" + b"\0" * 20,
    "a segment without a length": b"\xff\xd8\xff\xe0\x00\x00" + b"\0" * 20,
    "no scan": b"\xff\xd8" + segment(0xC0, b"\x08\0\x08\0\x08\1\1\x11\0") + b"\xff\xd9",
    "a wrong checksum": png()[:-20] + b"\0" + png()[-19:],
    "no points": png().replace(png()[33:-12], b""),
    "no width": png(width=0),
    "a chunk longer than the file": b"\x89PNG\r\n\x1a\n\xff\xff\xff\xffIHDR" + b"\0" * 20,
    "script in a PDF": pdf(b"3 0 obj <</S /JavaScript /JS (app.alert(1))>> endobj\n"),
    "script in a PDF, its name in numbers": pdf(b"3 0 obj <</S /J#61vaScript>> endobj\n"),
    "script in a PDF, packed": pdf(packed=b"3 0 <</S /JavaScript /JS (x)>>"),
    "a program called by a PDF": pdf(b"3 0 obj <</S /Launch /F (cmd.exe)>> endobj\n"),
    "a file in a PDF": pdf(b"3 0 obj <</Type /EmbeddedFile>> endobj\n"),
    "a form in a PDF": pdf(b"3 0 obj <</XFA 4 0 R>> endobj\n"),
    "a locked PDF": pdf(b"trailer <</Encrypt 5 0 R>>\n"),
    "packed objects that cannot be unpacked": pdf(b"9 0 obj <</Type /ObjStm>>\nstream\nnonsense\nendstream endobj\n"),
    "a page behind a PDF": pdf(after=b"\n" + SCRIPT),
    "a page in a PDF": pdf(SCRIPT),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_picture_or_scan_is_refused_in_plain_words(name: str) -> None:
    with pytest.raises(PaperRefused) as refused:
        check_paper(HOSTILE[name])
    assert refused.value.code == "paper_refused"
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize("head", [jpeg(), png(), pdf(), b"", b"<svg "])
def test_what_is_too_large_is_refused_before_anybody_looks_into_it(head: bytes) -> None:
    with pytest.raises(PaperTooBig) as refused:
        check_paper(head.ljust(20 * 1024 * 1024, b"\0"))
    assert refused.value.message == "A file has 10 MB at most."
    with pytest.raises(PaperTooBig):
        check_paper(b"\0" * (MOST_BYTES + 1))


@pytest.mark.parametrize("picture", [png(width=60_000, height=60_000), jpeg(width=60_000, height=60_000)])
def test_a_small_file_that_unpacks_into_a_large_picture_is_refused(picture: bytes) -> None:
    assert len(picture) < 1000
    with pytest.raises(PaperTooBig):
        check_paper(picture)


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (png(), "image/png"),
        (png(extra=chunk(b"tEXt", b"Software\0camera")), "image/png"),
        (jpeg(), "image/jpeg"),
        (jpeg(extra=segment(0xE1, b"Exif\0\0" + jpeg())), "image/jpeg"),
        (jpeg(width=12_000, height=9_000), "image/jpeg"),
        (pdf(), "application/pdf"),
        (pdf(b"4 0 obj <<>>\nstream\n/JS /Launch <script> are points here\nendstream endobj\n"), "application/pdf"),
        (pdf(packed=b"3 0 <</Type /Page>>"), "application/pdf"),
        (pdf(b"%%EOF\n"), "application/pdf"),
    ],
)
def test_photographs_and_scans_pass_as_they_are(content: bytes, media_type: str) -> None:
    paper = check_paper(content)
    assert (paper.media_type, paper.content) == (media_type, content)


@pytest.mark.parametrize("rest", [b"\0" * 64, jpeg(), b"\0\0\0\x18ftypmp42" + b"\1" * 500])
def test_what_telephones_put_behind_a_picture_is_left_out(rest: bytes) -> None:
    assert check_paper(jpeg() + rest).content == jpeg()
