"""The addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from roulette_site.common import pages
from sessions_app.web import account, closing, demo, events, limits_offer, lobby, play, protection
from tables.web import views as rules
from wallets.web import cash, inbox, payout, receivables, transfers
from wallets.web.login import login

admin.site.site_header = admin.site.site_title = "Back-office"
admin.site.index_title = "Overview"

handler400 = "roulette_site.common.problems.unreadable"
handler404 = "roulette_site.common.problems.not_found"
handler500 = "roulette_site.common.problems.broken"

urlpatterns = [
    path("", lobby.lobby, name="lobby"),
    path("login/", login, name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("play/<slug:slug>/", play.play, name="play"),
    path("play/<slug:slug>/enter/", lobby.enter, name="enter"),
    path("play/<slug:slug>/state/", play.state, name="state"),
    path("play/<slug:slug>/last/", play.last_play, name="last-play"),
    path("play/<slug:slug>/bets/", play.place, name="bets"),
    path("play/<slug:slug>/launch/", play.launch, name="launch"),
    path("play/<slug:slug>/undo/", play.undo, name="undo"),
    path("play/<slug:slug>/clear/", play.clear, name="clear"),
    path("play/<slug:slug>/client-seed/", play.client_seed, name="client-seed"),
    path("play/<slug:slug>/go-on/", play.go_on, name="go-on"),
    path("play/<slug:slug>/leave/", play.leave, name="leave"),
    path("events", events.events, name="events"),
    path("account/", account.account, name="account"),
    path("account/inbox/", inbox.inbox, name="inbox"),
    path("account/limits/", protection.limits, name="limits"),
    path("account/limits/offer/<slug:occasion>/", limits_offer.limits_offer, name="limits-offer"),
    path("account/limits/confirm/<int:loosening_id>/", protection.confirm, name="confirm-limit"),
    path("account/exclusion/", protection.exclusion, name="exclusion"),
    path("account/exclusion/end/", protection.early_end, name="exclusion-end"),
    path("account/closing/", closing.closing, name="closing"),
    path("account/sessions/", account.sessions, name="sessions"),
    path("account/sessions/<int:session_id>/", account.statement, name="statement"),
    path("account/rounds/<int:game_round_id>/", account.round_detail, name="round"),
    path("account/rounds/<int:game_round_id>/receipt.json", account.receipt, name="receipt"),
    path("account/cash/", cash.cash, name="cash"),
    path("account/cash/deposit/", cash.pay_in, name="deposit"),
    path("account/cash/withdraw/", cash.take_out, name="withdraw"),
    path("account/payout/", payout.payout_address, name="payout-address"),
    path("account/pay-back/", receivables.pay_back_owed, name="pay-back"),
    path("account/transfers/", transfers.transfers, name="transfers"),
    path("rules/verify_round.py", rules.verify_round, name="verify-round"),
    path("rules/", rules.rules_index, name="rules"),
    path("rules/<slug:code>/<int:version>/", rules.rules_version, name="rules-version"),
    path("demo/", demo.demo, name="demo"),
    path("demo/mail/", demo.demo_mail, name="demo-mail"),
    path("brand.css", pages.brand_css, name="brand-css"),
    path("healthz", pages.healthz, name="healthz"),
    path("readyz", pages.readyz, name="readyz"),
    path("api/", include("roulette_site.api_urls")),
    # Before the admin, which answers 404 to whatever it does not know.
    path("", include("wallets.web.urls")),
    path(settings.ADMIN_URL, include("wallets.web.staff_urls")),
    path(settings.ADMIN_URL, include("wallets.staff.urls")),
    path(settings.ADMIN_URL, include("roulette_site.common.staff.urls")),
    path(settings.ADMIN_URL, admin.site.urls),
]
