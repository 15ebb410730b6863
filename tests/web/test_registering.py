"""The page on which a player registers, and the mails that follow."""

from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from roulette_site.common.audit_checks import CHECKS
from roulette_site.common.models import AuditEntry
from tests.house import NOON, make_house
from wallets.models import Consent, Player, User
from wallets.services import account_mail
from wallets.services.account_mail import mail_reset_link
from wallets.services.people import add_player

from .pages import client_of

pytestmark = pytest.mark.django_db
PASSWORD = "a long and odd sentence 17"
FORM = {
    "email": "nuno@test.example",
    "password": PASSWORD,
    "full_name": "Nuno Sá",
    "birth_date": "1990-12-31",
    "country": "PT",
    "language": "pt",
    "time_zone": "Europe/Lisbon",
    "terms": "on",
    "privacy": "on",
}


@pytest.fixture(autouse=True)
def house() -> None:
    make_house()


def post(client: Client | None = None, **changes: str) -> Any:
    form = {name: value for name, value in {**FORM, **changes}.items() if value != "-"}
    return (client or Client()).post(reverse("register"), form)


def log_in(client: Client, email: str = FORM["email"], password: str = PASSWORD) -> Any:
    return client.post(reverse("login"), {"username": email, "password": password})


def link_in(message: Any) -> str:
    return next(line for line in message.body.splitlines() if line.startswith("http"))


@pytest.fixture(autouse=True)
def asked_of_workers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Do at once what a worker is asked to mail, and note it."""
    asked: list[str] = []

    def do(task: str, queue: str, **about: Any) -> None:
        asked.append(task)
        getattr(account_mail, task.rpartition(".")[2])(**about)

    monkeypatch.setattr("wallets.web.register.after_commit", do)
    return asked


def test_from_registering_to_the_first_login(settings: Any) -> None:
    client = Client()
    assert post(client)["Location"] == reverse("registered")
    assert "Look into your mail" in client.get(reverse("registered")).content.decode()
    assert Player.objects.count() == 1
    assert set(Consent.objects.values_list("text", "version")) == set(settings.CONSENT_VERSIONS.items())
    (message,) = mail.outbox
    assert message.to == ["nuno@test.example"]
    assert "Test House" in message.body
    # Before the address is shown to be his, not even the right password lets him in.
    assert log_in(client)["Location"] == reverse("registered")
    assert client.get(reverse("account")).status_code == 302
    page = client.get(link_in(message))
    assert "Is nuno@test.example yours?" in page.content.decode()
    # Looking is not confirming: mail programs open links by themselves.
    assert log_in(client)["Location"] == reverse("registered")
    assert client.post(link_in(message))["Location"] == reverse("login")
    assert log_in(client)["Location"] == reverse("limits-offer", args=["registration"])
    assert client.get(reverse("account")).status_code == 200
    assert "Your login before this one" not in client.get(reverse("security")).content.decode()
    # All of it is on record.
    assert AuditEntry.objects.get(act="address_verified").actor == f"player:{Player.objects.get().pk}"
    assert list(next(one for one in CHECKS if one.name == "row_changes").find()) == []


def test_an_address_that_is_taken_looks_like_one_that_is_not() -> None:
    owner = add_player(email="Nuno@test.example", full_name="Nuno", handle="nuno", at=NOON)
    answers = [post(), post(email="new@test.example")]
    assert answers[0].status_code == answers[1].status_code == 302
    assert answers[0]["Location"] == answers[1]["Location"]
    assert answers[0].content == answers[1].content
    told, new = mail.outbox
    # As its owner writes it.
    assert told.to == ["Nuno@test.example"]
    assert told.subject == "You have an account already"
    assert "/login/forgotten/" in told.body
    assert new.subject == "Please confirm your address"
    # Nothing of the owner's was touched.
    owner.user.refresh_from_db()
    assert (owner.user.full_name, owner.user.has_usable_password()) == ("Nuno", False)
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("email", "-", "required"),
        ("email", "nuno", "This is no e-mail address."),
        ("email", "x" * 9000 + "@test.example", "This is no e-mail address."),
        ("password", "short", "too short"),
        ("password", "password1234", "too common"),
        ("password", "nuno@test.example", "too similar"),
        ("full_name", "=cmd|'/C calc'!A0", "A name begins with a letter."),
        ("full_name", "Maria \u202eSá", "not U+202E"),
        ("full_name", "\u202eMaria", "A name begins with a letter."),
        ("full_name", "Maria\u200b", "not U+200B"),
        ("full_name", "Maria\t", "not U+0009"),
        ("full_name", "M" * 4000, "150 characters at most"),
        ("full_name", "M" * 20_000, "at most 10000"),
        ("birth_date", "today", "There is no such day"),
        ("birth_date", "31/12/1990", "There is no such day"),
        ("birth_date", "2007-02-29", "There is no such day"),
        ("birth_date", "2999-01-01", "A birth date lies in the past."),
        ("birth_date", "0001-01-01", "Nobody is that old"),
        ("birth_date", "2020-02-29", "Only people of 18 and over"),
        ("country", "XX", "not one of the available choices"),
        ("language", "de", "not one of the available choices"),
        ("time_zone", "../../etc/passwd", "not one of the available choices"),
        ("terms", "-", "Without the terms"),
        ("privacy", "-", "privacy notice"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(field: str, value: str, said: str) -> None:
    answer = post(**{field: value})
    assert answer.status_code == 200
    page = unescape(answer.content.decode())
    errors = page.split(f'id="error-{field}"')[1].split("</div>")[0]
    assert said in errors
    assert not User.objects.exists()
    assert mail.outbox == []
    # A password is never sent back.
    assert PASSWORD not in page


def test_the_birth_date_of_today_is_refused_by_the_operators_day() -> None:
    answer = post(birth_date=timezone.localdate().isoformat())
    assert "A birth date lies in the past." in answer.content.decode()
    assert not User.objects.exists()


def test_who_was_born_on_a_29_february_may_register() -> None:
    assert post(birth_date="1988-02-29").status_code == 302
    assert Player.objects.get().user.person.birth_date.isoformat() == "1988-02-29"


def test_all_that_is_wrong_is_said_at_once() -> None:
    page = Client().post(reverse("register"), {}).content.decode()
    assert page.count('class="refusal" id="error-') == len(FORM)


def test_nul_and_markup_do_no_harm() -> None:
    page = post(full_name="<script>alert(1)</script>").content.decode()
    assert "<script>alert" not in page
    assert post(email="nuno\0@test.example", full_name="Mar\0ia").status_code == 200
    assert not User.objects.exists()


def test_who_is_logged_in_does_not_register() -> None:
    client = client_of(make_house().player())
    assert client.get(reverse("register"))["Location"] == reverse("lobby")
    assert post(client)["Location"] == reverse("lobby")
    assert User.objects.count() == 1


def test_mail_to_one_address_is_seldom_however_often_it_is_asked_for() -> None:
    for _ in range(4):
        post()
    assert len(mail.outbox) == 1
    for _ in range(3):
        log_in(Client())
    assert len(mail.outbox) == 1


def test_a_mail_server_that_is_down_is_no_fault_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker mails, for a new address as for one that is taken; and who got nothing is sent it when he logs in."""
    asked: list[str] = []
    monkeypatch.setattr("wallets.web.register.after_commit", lambda task, queue, **about: asked.append(task))
    monkeypatch.setattr("django.core.mail.EmailMessage.send", lambda *_: pytest.fail("sent inside the request"))
    add_player(email="owner@test.example", full_name="Nuno", handle="nuno", at=NOON)
    answers = [post(), post(email="owner@test.example")]
    assert [one.status_code for one in answers] == [302, 302]
    assert asked == ["wallets.tasks.mail_verification", "wallets.tasks.mail_account_exists"]
    # Seldom to one address; later it is sent anew to who logs in.
    cache.clear()
    log_in(Client())
    assert asked[2:] == ["wallets.tasks.mail_verification"]


def test_nobody_registers_by_the_hundred() -> None:
    answers = [post(email=f"n{number}@test.example").status_code for number in range(25)]
    assert answers[:20] == [302] * 20
    assert set(answers[20:]) == {429}
    assert User.objects.count() == 20


def test_a_forgotten_password_is_set_anew_without_telling_who_has_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is mailed in the request, which would take longer then; a worker is asked each time."""
    player = make_house().player(handle="maria")
    client = Client()
    sent: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("wallets.web.login.after_commit", lambda task, queue, **about: sent.append((task, about)))
    asked = [
        client.post(reverse("account_reset_password"), {"email": email})
        for email in (player.user.email, "nobody@test.example")
    ]
    assert asked[0].status_code == asked[1].status_code == 302
    assert asked[0]["Location"] == asked[1]["Location"]
    assert [task for task, _ in sent] == ["wallets.tasks.mail_reset_link"] * 2
    assert [about["user_id"] for _, about in sent] == [player.user_id, 0]
    assert mail.outbox == []
    assert [mail_reset_link(**about) for _, about in sent] == [True, False]
    (message,) = mail.outbox
    assert message.to == [player.user.email]
    page = client.get(link_in(message), follow=True)
    assert page.status_code == 200
    address = page.request["PATH_INFO"]
    weak = client.post(address, {"password1": "short", "password2": "short"})
    assert weak.status_code == 200
    done = client.post(address, {"password1": PASSWORD, "password2": PASSWORD}, follow=True)
    assert "Your new password is set" in done.content.decode()
    assert log_in(Client(), player.user.email).status_code == 302
    assert "used up or too old" in Client().get(link_in(message), follow=True).content.decode()


@pytest.mark.parametrize("address", ["/register/", "/register/done/", "/texts/terms/", "/texts/privacy/", "/login/forgotten/", "/login/forgotten/sent/", "/login/forgotten/done/"])  # fmt: skip
def test_pages_name_the_operator_and_hold_no_style_of_their_own(address: str) -> None:
    text = Client().get(address).content.decode()
    for said in ("18+", "Test House, S.A.", "Licence TEST", "help@test.example"):
        assert said in text
    assert "style=" not in text
    assert "<script" not in text


def test_there_are_no_other_texts_and_no_other_way_to_sign_up() -> None:
    assert Client().get("/texts/admin/").status_code == 404
    assert Client().get("/register/confirm/no-such-key/").status_code == 200
    assert Client().post("/register/confirm/no-such-key/").status_code == 404


class TestMailOfTheDemonstration:
    @pytest.fixture(autouse=True)
    def shown(self, settings: Any, tmp_path: Any) -> None:
        settings.DEMO_SITE = settings.LOCAL = True
        settings.DEMO_MAIL_DIR = tmp_path / "mail"
        settings.EMAIL_BACKEND = "roulette_site.common.demo_mail.ShownBackend"

    def test_it_is_shown_and_its_link_works(self, settings: Any) -> None:
        client = Client()
        assert "No mail yet" in client.get(reverse("demo-mail")).content.decode()
        post(client)
        page = client.get(reverse("demo-mail")).content.decode()
        assert "Please confirm your address" in page
        assert "nuno@test.example" in page
        link = unescape(page.split(f'href="{settings.SITE_URL}/register/confirm/')[1].split('"')[0])
        assert client.post(f"/register/confirm/{link}").status_code == 302
        assert log_in(client)["Location"] == reverse("limits-offer", args=["registration"])

    def test_what_a_mail_says_is_no_markup(self) -> None:
        mail.send_mail("<b>subject</b>", "<script>alert(1)</script>", None, ["x@test.example"])
        page = Client().get(reverse("demo-mail")).content.decode()
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page

    @pytest.mark.parametrize(("demo_site", "local"), [(False, True), (True, False), (False, False)])
    def test_it_is_refused_wherever_there_is_no_demonstration(
        self, settings: Any, demo_site: bool, local: bool
    ) -> None:
        settings.DEMO_SITE, settings.LOCAL = demo_site, local
        assert Client().get(reverse("demo-mail")).status_code == 404
        with pytest.raises(ImproperlyConfigured):
            mail.send_mail("s", "t", None, ["x@test.example"])

    def test_nobody_else_on_the_network_reads_it(self) -> None:
        assert Client(REMOTE_ADDR="198.51.100.7").get(reverse("demo-mail")).status_code == 404
