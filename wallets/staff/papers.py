"""Identity papers for compliance: who waits, what he sent, by which document he is known, and what is decided."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from roulette_site.common.errors import RuleBroken
from roulette_site.common.requests import whole_number
from roulette_site.common.sql import database_now
from wallets.models import DocumentType, IdentityPaper, KycState, Person, Player
from wallets.personal import COUNTRIES, BirthDateRefused, DocumentRefused
from wallets.sealing import unseal
from wallets.selectors.gates import excluded_until
from wallets.selectors.papers import papers_of, waiting_count, waiting_players
from wallets.selectors.people import find_duplicates, operator_day
from wallets.services.papers import CAUSES, open_paper, refuse_papers, verify_player
from wallets.services.particulars import correct_particulars
from wallets.services.people import record_document

from .doors import actor_of, context_of, staff_page

# Whoever decides about papers sees them, and nobody else.
RIGHT = "wallets.decide_kyc"
ROWS_A_PAGE = 100
_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "application/pdf": "pdf"}


@staff_page(see=RIGHT, act=RIGHT)
def paper_queue(request: HttpRequest) -> HttpResponse:
    """Show who waits, the longest first."""
    lines = waiting_players(limit=ROWS_A_PAGE)
    context = {**context_of(request, "Identity papers"), "lines": lines, "count": waiting_count()}
    return render(request, "wallets/staff/paper_queue.html", context)


@staff_page(see=RIGHT, act=RIGHT)
def paper_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show one player's papers, data and doubles; a POST records the document, verifies or refuses."""
    player = get_object_or_404(Player.objects.select_related("user"), pk=min(player_id, 2**63 - 1))
    refusal = ""
    if request.method == "POST":
        act = _ACTS.get(request.POST.get("act", ""))
        if act is None:
            return HttpResponse(status=400)
        try:
            act(request, player)
        except RuleBroken as error:
            refusal = error.message
        else:
            messages.success(request, "Done.")
            return redirect("staff-papers", player_id=player.pk)
        player.refresh_from_db()
    return _page(request, player, refusal)


@staff_page(see=RIGHT, act=RIGHT)
def paper_file(request: HttpRequest, player_id: int, paper_id: int) -> HttpResponse:
    """Give one file, as what it was found to be and nothing else; that it was opened is on record."""
    held = IdentityPaper.objects.filter(player_id=min(player_id, 2**63 - 1), removed_at__isnull=True)
    paper = get_object_or_404(held, pk=min(paper_id, 2**63 - 1))
    try:
        content = open_paper(paper=paper, actor=actor_of(request), at=database_now())
    except RuleBroken as error:
        return HttpResponse(error.message, status=410, content_type="text/plain; charset=utf-8")
    ending = _ENDINGS[paper.media_type]
    # A PDF is read by the program of the machine: none of ours shows it beside the back-office.
    how = "attachment" if ending == "pdf" else "inline"
    return HttpResponse(
        content,
        content_type=paper.media_type,
        headers={
            "Content-Disposition": f'{how}; filename="paper-{paper.pk}.{ending}"',
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        },
    )


def _record(request: HttpRequest, player: Player) -> None:
    kind = request.POST.get("document_type", "")
    if kind not in DocumentType.values:
        raise DocumentRefused("There is no such document.")
    record_document(
        user=player.user,
        document_type=DocumentType(kind),
        number=request.POST.get("number", ""),
        country=request.POST.get("country", ""),
        expires_on=_day(request.POST.get("expires_on", "")),
        actor=actor_of(request),
        at=database_now(),
    )


def _correct(request: HttpRequest, player: Player) -> None:
    birth_date = _day(request.POST.get("birth_date", ""))
    if birth_date is None:
        raise BirthDateRefused("A birth date is needed.")
    said = _said(request)
    del said["seen"]
    correct_particulars(player=player, full_name=request.POST.get("full_name", ""), birth_date=birth_date, **said)


def _verify(request: HttpRequest, player: Player) -> None:
    verify_player(player=player, doubles_seen=request.POST.get("doubles_seen") == "yes", **_said(request))


def _refuse(request: HttpRequest, player: Player) -> None:
    refuse_papers(player=player, cause=request.POST.get("cause", ""), **_said(request))


_ACTS: dict[str, Callable[[HttpRequest, Player], None]] = {
    "record": _record,
    "correct": _correct,
    "verify": _verify,
    "refuse": _refuse,
}


def _said(request: HttpRequest) -> dict[str, Any]:
    return {
        "seen": whole_number(request.POST.get("seen", "")) or 0,
        "reason": request.POST.get("reason", ""),
        "actor": actor_of(request),
        "at": database_now(),
    }


def _day(text: str) -> dt.date | None:
    if not text:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise DocumentRefused("There is no such day: write it as 2030-12-31.") from None


def _page(request: HttpRequest, player: Player, refusal: str) -> HttpResponse:
    person = Person.objects.filter(user_id=player.user_id).first()
    papers = papers_of(player)
    expires_on = None if person is None else person.document_expires_on
    context = {
        **context_of(request, f"Identity of player {player.handle}"),
        "player": player,
        "person": person,
        "country": COUNTRIES.get(person.country, "") if person else "",
        "document": _document(person),
        "has_run_out": expires_on is not None and expires_on < operator_day(database_now()),
        "until": _excluded(player),
        "papers": papers,
        "seen": papers[0].pk if papers else 0,
        "doubles": _doubles(person),
        "document_types": DocumentType.choices,
        "countries": COUNTRIES.items(),
        "causes": CAUSES.items(),
        "is_verified": player.kyc_state == KycState.VERIFIED,
        "trail": reverse("staff:trail", args=["player", player.pk]),
        "typed": request.POST,
        "refusal": refusal,
    }
    return render(request, "wallets/staff/papers.html", context, status=409 if refusal else 200)


def _excluded(player: Player | None) -> dt.datetime | None:
    """Until when he is excluded; None for who is not, any more or ever."""
    until = None if player is None else excluded_until(player)
    return until if until is not None and until > database_now() else None


def _document(person: Person | None) -> dict[str, Any] | None:
    if person is None or not person.document_type:
        return None
    return {
        "type": person.get_document_type_display(),
        "number": unseal(person.document_number_sealed),
        "country": COUNTRIES.get(person.document_country, ""),
        "expires_on": person.document_expires_on,
    }


def _doubles(person: Person | None) -> list[dict[str, Any]]:
    """Who may be the same, and by what; a double need not be a player."""
    if person is None:
        return []
    return [
        {
            "person": one,
            "player": getattr(one.user, "player", None),
            "same_name": one.name_hash == person.name_hash and one.birth_date == person.birth_date,
            "excluded_until": _excluded(getattr(one.user, "player", None)),
            "same_document": bool(person.document_hash) and one.document_hash == person.document_hash,
        }
        for one in find_duplicates(person)
    ]
