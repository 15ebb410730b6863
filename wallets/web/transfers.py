"""A player's transfers: filtered, page by page, and as a file."""

import csv
import datetime as dt
from collections.abc import Iterator
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from roulette_site.common.models import Operator
from roulette_site.common.requests import whole_number
from wallets.amounts import format_cents
from wallets.csv_cells import safe_cell
from wallets.models import Account, Player, Reason, Unit
from wallets.selectors.balances import wallets_of
from wallets.selectors.receivables import owed_by
from wallets.selectors.transfers import TransferFilter, TransferLine, all_transfer_lines, transfer_lines

from .keys import fresh_key
from .who import player_of
from .words import REASON_WORDS

LINES_A_PAGE = 50


@require_safe
@login_required
@never_cache
def transfers(request: HttpRequest) -> HttpResponseBase:
    """Show the transfers that are asked for; with `format=csv` send all of them as a file."""
    player = player_of(request)
    wallet = _wallet(player, request.GET.get("unit", ""))
    wanted, faults = _read_filter(request)
    if request.GET.get("format") == "csv" and not faults:
        return _file(request, wallet, wanted)
    before = whole_number(request.GET.get("before", ""))
    lines = [] if wallet is None or faults else transfer_lines(wallet, limit=LINES_A_PAGE, wanted=wanted, before=before)
    asked = {name: request.GET[name] for name in ("unit", "reason", "from", "to") if request.GET.get(name)}
    older = {**asked, "before": lines[-1].id} if len(lines) == LINES_A_PAGE else None
    template = "_transfers" if request.htmx else "transfers"  # type: ignore[attr-defined]
    return render(
        request,
        f"wallets/{template}.html",
        {
            "lines": [(line, REASON_WORDS.get(line.reason, line.reason.label)) for line in lines],
            "asked": asked,
            "faults": faults,
            "owed": owed_by(player),
            "owed_key": fresh_key(),
            "older": None if older is None else urlencode(older),
            "newest": urlencode(asked) if before is not None else None,
            "file": urlencode({**asked, "format": "csv"}),
            "reasons": [(str(reason), words) for reason, words in REASON_WORDS.items()],
            "units": [(one.unit, Unit(one.unit).label) for one in wallets_of(player)],
        },
    )


def _wallet(player: Player, unit: str) -> Account | None:
    wallets = wallets_of(player)
    return next((one for one in wallets if one.unit == unit), wallets[0] if wallets else None)


def _read_filter(request: HttpRequest) -> tuple[TransferFilter, list[str]]:
    """What is asked for, and what of it cannot be read."""
    faults = []
    reason = request.GET.get("reason", "")
    if reason and reason not in Reason.values:
        faults.append(_("There is no such kind of transfer."))
    days: dict[str, dt.date | None] = {}
    for name in ("from", "to"):
        try:
            days[name] = dt.date.fromisoformat(request.GET[name]) if request.GET.get(name) else None
        except ValueError:
            days[name] = None
            faults.append(_("A day is written like this: 2026-06-15."))
    first, last = days["from"], days["to"]
    if first and last and first > last:
        faults.append(_("The first day is after the last."))
    operator = Operator.objects.first()
    try:
        return (
            TransferFilter(
                reason=Reason(reason) if reason in Reason.values else None,
                since=None if first is None else _start_of(first, operator),
                until=None if last is None else _start_of(last + dt.timedelta(days=1), operator),
            ),
            list(dict.fromkeys(faults)),
        )
    except OverflowError:
        # A day before the first or after the last that there is.
        return TransferFilter(), [_("A day is written like this: 2026-06-15.")]


def _start_of(day: dt.date, operator: Operator | None) -> dt.datetime:
    """The first instant of a calendar day in the zone of the pages."""
    zone = dt.UTC if operator is None else operator.gaming_day_rule.zone
    return dt.datetime.combine(day, dt.time(), tzinfo=zone).astimezone(dt.UTC)


class _Line:
    """What csv writes to: it gives the line back, to be sent at once."""

    def write(self, text: str) -> str:
        return text


def _file(request: HttpRequest, wallet: Account | None, wanted: TransferFilter) -> HttpResponseBase:
    kind = "text/csv; charset=utf-8"
    if request.method == "HEAD":
        answer: HttpResponseBase = HttpResponse(content_type=kind)
    else:
        lines = iter(()) if wallet is None else all_transfer_lines(wallet, wanted=wanted)
        answer = StreamingHttpResponse(_rows(lines), content_type=kind)
    answer["Content-Disposition"] = 'attachment; filename="transfers.csv"'
    return answer


def _rows(lines: Iterator[TransferLine]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(("transfer", "at", "reason", "in", "out", "unit", "round", "corrects"))
    for line in lines:
        cells = (
            line.id,
            line.at.isoformat(),
            line.reason,
            None if line.came_cents is None else format_cents(line.came_cents),
            None if line.went_cents is None else format_cents(line.went_cents),
            line.unit,
            line.round_ref,
            line.corrects,
        )
        yield writer.writerow([safe_cell(cell) for cell in cells])
