"""Where a player sends his identity papers: from a telephone with its camera, or as files; no script is needed."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from roulette_site.common.errors import RuleBroken
from roulette_site.common.sql import database_now
from wallets.models import KycState, Person, Player
from wallets.papers import MOST_BYTES, MOST_FILES, PaperTooBig
from wallets.selectors.papers import papers_of
from wallets.services.papers import TooManyPapers, send_papers
from wallets.templatetags.money import message_of

from .who import player_of

_FIELDS = ("front", "back", "files")
HOW_IT_STANDS: dict[KycState, Any] = {
    KycState.UNVERIFIED: gettext_lazy("The house does not know yet who you are: send a document with your picture."),
    KycState.PENDING: gettext_lazy("Your papers are being checked. You are told in your inbox when that is done."),
    KycState.VERIFIED: gettext_lazy("The house knows who you are. When your document is renewed, send the new one."),
    KycState.REJECTED: gettext_lazy("What you sent was not enough; your inbox says why. Please send it anew."),
    KycState.EXPIRED: gettext_lazy("Your document has run out. Send the new one to play on."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def identity(request: HttpRequest) -> HttpResponse:
    """Show how it stands and what was sent; POST sends files."""
    player = player_of(request)
    if request.method != "POST":
        return _page(request, player)
    try:
        send_papers(player=player, contents=_contents(request), at=database_now())
    except RuleBroken as error:
        return _page(request, player, refusal=message_of(error), status=error.http_status)
    messages.success(request, _("Thank you: the house has your papers."))
    return redirect("identity")


def _contents(request: HttpRequest) -> list[bytes]:
    """What is in the files; their names are nobody's business. What is too large is not even read."""
    files = [one for field in _FIELDS for one in request.FILES.getlist(field)]
    if len(files) > MOST_FILES:
        raise TooManyPapers(f"Send {MOST_FILES} files at a time at most.", most=MOST_FILES)
    if any(one.size is None or one.size > MOST_BYTES for one in files):
        raise PaperTooBig(f"A file has {MOST_BYTES // 1024**2} MB at most.", most_bytes=MOST_BYTES)
    return [one.read() for one in files]


def _page(request: HttpRequest, player: Player, *, refusal: str = "", status: int = 200) -> HttpResponse:
    person = Person.objects.filter(user_id=player.user_id).first()
    context = {
        "state": player.kyc_state,
        "words": HOW_IT_STANDS[KycState(player.kyc_state)],
        "expires_on": person.document_expires_on if person and player.kyc_state == KycState.VERIFIED else None,
        "papers": papers_of(player),
        "most_files": MOST_FILES,
        "most_megabytes": MOST_BYTES // 1024**2,
        "refusal": refusal,
    }
    return render(request, "wallets/identity.html", context, status=status)
