"""Sending identity papers, and the staff's pages for them: who may look, and what a browser is handed."""

import io
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from roulette_site.common.models import AuditEntry
from tests.house import make_house
from tests.pictures import jpeg, pdf, png
from tests.wallets.test_identity import newcomer, record_passport, send, state_of, stored
from wallets.models import IdentityPaper, Person, Player, User

from .pages import client_of, staff_client, token_in
from .test_staff_player import member

pytestmark = pytest.mark.django_db
HOSTILE_NAMES = (
    "../../../etc/passwd", "..\\..\\boot.ini", "/absolute/path.png", "card\u202egnp.exe", "photo.png\0.html",
    "<script>alert(1)</script>.svg", "x" * 4000 + ".png", "=HYPERLINK(1).png", " ", "\u200f\u200e.png",
)  # fmt: skip


@pytest.fixture(autouse=True)
def house() -> Any:
    for name in stored():
        storages["papers"].delete(name)
    return make_house()


@pytest.fixture
def maria() -> Player:
    return newcomer("maria")


def upload(client: Client, *contents: bytes, name: str = "card.jpg", media_type: str = "image/jpeg") -> Any:
    files = [SimpleUploadedFile("card", one, media_type) for one in contents]
    for one in files:
        # Past what Django itself takes out of names on this side.
        one._name = name
    return client.post(reverse("identity"), {"files": files})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "This file is empty."),
        (b"MZ\x90\0", "this file is neither, whatever it is called"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "this file is neither"),
        (jpeg() + b"<script>alert(1)</script>", "something besides a picture"),
        (jpeg().ljust(20 * 1024**2, b"\0"), "A file has 10 MB at most."),
        (png()[:-4], "This file is damaged."),
    ],
)
def test_a_hostile_file_is_refused_on_the_page_whatever_it_says_it_is(maria: Player, content: bytes, said: str) -> None:
    answer = upload(client_of(maria), content)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert (stored(), state_of(maria)) == ([], "unverified")


def test_what_is_larger_than_any_form_is_not_even_read(maria: Player) -> None:
    answer = upload(client_of(maria), jpeg().ljust(22 * 1024**2, b"\0"))
    assert answer.status_code == 413
    assert "Send fewer files at a time" in answer.content.decode()
    problem = Client().post("/api/v1/sessions", "x", content_type="application/json", CONTENT_LENGTH=10**9)
    assert (problem.status_code, problem.json()["code"]) == (413, "request_too_large")


def test_no_file_and_too_many_files_are_told(maria: Player) -> None:
    client = client_of(maria)
    assert "Choose a file first." in client.post(reverse("identity")).content.decode()
    assert "4 files at a time" in upload(client, *[png()] * 5).content.decode()
    assert stored() == []


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_the_name_of_a_file_is_kept_nowhere(maria: Player, name: str) -> None:
    boundary = "b0undary"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'.encode()
    body = head + b"Content-Type: text/html\r\n\r\n" + png() + f"\r\n--{boundary}--\r\n".encode()
    answer = client_of(maria).post(reverse("identity"), body, content_type=f"multipart/form-data; boundary={boundary}")
    # Django itself passes over a file whose name holds nothing that can be printed, and reads no endless head.
    assert answer.status_code in (302, 422, 400)
    assert all(len(one) == 32 and one.isalnum() for one in stored())
    for paper in IdentityPaper.objects.all():
        assert paper.media_type == "image/png"
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wallets_identitypaper")
        assert "passwd" not in repr(cursor.fetchall())


def test_photographs_are_sent_without_script_and_waited_for(maria: Player) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(maria.user)
    page = client.get(reverse("identity")).content.decode()
    assert 'capture="environment"' in page
    assert 'accept="image/*"' in page
    assert "application/pdf" in page
    assert "<script" not in page
    files = {name: io.BytesIO(jpeg()) for name in ("front", "back")}
    answer = client.post(reverse("identity"), {"csrfmiddlewaretoken": token_in(page), **files}, follow=True)
    page = answer.content.decode()
    assert "the house has your papers" in page
    assert "Your papers are being checked." in page
    assert page.count("photograph (JPEG)") == 2
    assert (len(stored()), state_of(maria)) == (2, "pending")
    assert "Who you are" in client.get(reverse("account")).content.decode()


def addresses(player: Player) -> list[str]:
    (paper,) = send(player)
    return [
        reverse("staff-paper-queue"),
        reverse("staff-papers", args=[player.pk]),
        reverse("staff-paper-file", args=[player.pk, paper.pk]),
    ]


def test_papers_are_for_those_alone_who_decide_about_them(maria: Player) -> None:
    for address in addresses(maria):
        assert Client().get(address).status_code == 302
        assert client_of(maria).get(address).status_code == 302
        without_factor = Client()
        without_factor.force_login(member("Compliance", number=len(address)))
        assert without_factor.get(address).status_code == 302
        for role in ("Floor manager", "Finance", "Support", "Auditor", "Regulator", "Administrator"):
            user = User.objects.filter(groups__name=role).first() or member(role)
            assert staff_client(user).get(address).status_code == 403, (role, address)
            assert staff_client(user).post(address).status_code == 403
    assert not AuditEntry.objects.filter(act="paper_opened").exists()
    assert staff_client(member("Compliance")).get(address).status_code == 200


def test_a_file_is_handed_out_as_what_it_is_and_nothing_that_acts(maria: Player) -> None:
    client = staff_client(member("Compliance"))
    picture, scan = send(maria, jpeg(), pdf())
    other = newcomer("rita")
    answer = client.get(reverse("staff-paper-file", args=[maria.pk, picture.pk]))
    assert answer.content == jpeg()
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["Content-Disposition"] == f'inline; filename="paper-{picture.pk}.jpg"'
    assert "no-store" in answer["Cache-Control"]
    answer = client.get(reverse("staff-paper-file", args=[maria.pk, scan.pk]))
    assert answer["Content-Disposition"].startswith("attachment; ")
    assert AuditEntry.objects.filter(act="paper_opened", subject_id=str(maria.pk)).count() == 2
    for player_id, paper_id in ((other.pk, picture.pk), (10**30, picture.pk), (maria.pk, 10**30)):
        assert client.get(f"/backoffice/identity/{player_id}/{paper_id}/").status_code == 404
    storages["papers"].delete(picture.stored_as)
    answer = client.get(reverse("staff-paper-file", args=[maria.pk, picture.pk]))
    assert (answer.status_code, answer["Content-Type"]) == (410, "text/plain; charset=utf-8")


def act(client: Client, player: Player, name: str, **fields: str) -> Any:
    latest = IdentityPaper.objects.filter(player=player).latest("pk").pk
    return client.post(
        reverse("staff-papers", args=[player.pk]), {"act": name, "seen": latest, "reason": "looked at", **fields}
    )


def test_compliance_corrects_a_name_as_the_papers_show_it(maria: Player) -> None:
    send(maria)
    client = staff_client(member("Compliance"))
    page = client.get(reverse("staff-papers", args=[maria.pk])).content.decode()
    assert 'value="Maria Lopes"' in page
    assert 'value="1988-04-17"' in page
    for typed, said in (
        ({"full_name": "=1+1", "birth_date": "1988-04-17"}, "A name begins with a letter."),
        ({"full_name": "Maria Lopes", "birth_date": "1988-02-31"}, "There is no such day"),
        ({"full_name": "Maria Lopes", "birth_date": ""}, "A birth date is needed."),
    ):
        answer = act(client, maria, "correct", **typed)
        assert answer.status_code == 409
        assert said in answer.content.decode()
    # What was typed stays in the form.
    assert 'value="=1+1"' in act(client, maria, "correct", full_name="=1+1", birth_date="1988-04-17").content.decode()
    assert act(client, maria, "correct", full_name="Maria Lopez", birth_date="1988-04-18").status_code == 302
    page = client.get(reverse("staff-papers", args=[maria.pk])).content.decode()
    assert "Maria Lopez" in page
    assert "1988-04-18" in page


def test_compliance_records_the_document_and_verifies(maria: Player) -> None:
    send(maria)
    client = staff_client(member("Compliance"))
    assert "maria" in client.get(reverse("staff-paper-queue")).content.decode()
    passport = {"document_type": "passport", "number": "LX 12", "country": "PT", "expires_on": "2031-02-30"}
    assert "There is no such day" in act(client, maria, "record", **passport).content.decode()
    passport["expires_on"] = "2020-01-01"
    assert "has run out" in act(client, maria, "record", **passport).content.decode()
    assert 'value="LX 12"' in act(client, maria, "record", **passport).content.decode()
    assert act(client, maria, "verify").status_code == 409
    assert act(client, maria, "dance").status_code == 400
    passport["expires_on"] = "2101-02-28"
    assert act(client, maria, "record", **passport).status_code == 302
    page = client.get(reverse("staff-papers", args=[maria.pk])).content.decode()
    for said in ("Maria Lopes", "1988-04-17", "passport LX 12", "(Portugal)", "until 2101-02-28"):
        assert said in page
    assert act(client, maria, "verify").status_code == 302
    assert state_of(maria) == "verified"
    assert "Nobody waits." in client.get(reverse("staff-paper-queue")).content.decode()
    entry = AuditEntry.objects.get(act="document_recorded")
    assert entry.after == {"document_type": "passport"}


def test_a_double_is_shown_and_has_to_be_looked_at(maria: Player) -> None:
    other = newcomer("the-other-maria")
    send(maria)
    record_passport(other, number="LX 7")
    record_passport(maria, number="lx-7")
    client = staff_client(member("Compliance"))
    page = client.get(reverse("staff-papers", args=[maria.pk])).content.decode()
    for said in ("the-other-maria", "same name and birth date", "same document"):
        assert said in page
    assert act(client, maria, "verify").status_code == 409
    assert state_of(maria) == "pending"
    assert act(client, maria, "verify", doubles_seen="yes").status_code == 302
    assert state_of(maria) == "verified"


def test_who_is_refused_reads_why_in_his_inbox_and_not_what_staff_wrote(maria: Player) -> None:
    send(maria)
    client = staff_client(member("Compliance"))
    assert act(client, maria, "refuse", cause="no such cause").status_code == 409
    act(client, maria, "refuse", cause="unreadable", reason="looks forged")
    page = client_of(maria).get(reverse("inbox")).content.decode()
    assert "send sharper pictures" in page
    assert "forged" not in page
    assert "Please send it anew." in client_of(maria).get(reverse("identity")).content.decode()


def test_a_page_for_who_has_no_data_stands(house: Any) -> None:
    player = house.player()
    page = staff_client(member("Compliance")).get(reverse("staff-papers", args=[player.pk])).content.decode()
    assert "Nothing was sent." in page
    assert not Person.objects.filter(user=player.user).exists()
