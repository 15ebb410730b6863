"""The addresses of the REST API."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from sessions_app.api import protection
from sessions_app.api import views as sessions
from tables.api import rounds, rulebooks
from wallets.api import cash, notices

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", SpectacularSwaggerView.as_view(url_name="api-schema"), name="api-docs"),
    path("v1/rulebooks", rulebooks.RulebookListView.as_view(), name="rulebook-list"),
    path("v1/rulebooks/<slug:code>", rulebooks.RulebookDetailView.as_view(), name="rulebook-detail"),
    path("v1/rulebooks/<slug:code>/settle", rulebooks.RulebookSettleView.as_view(), name="rulebook-settle"),
    path("v1/rounds/<int:game_round_id>/proof", rounds.RoundProofView.as_view(), name="api-round-proof"),
    path("v1/players/<slug:handle>/deposits", cash.DepositsView.as_view(), name="api-deposits"),
    path("v1/players/<slug:handle>/withdrawals", cash.WithdrawalsView.as_view(), name="api-withdrawals"),
    path("v1/players/<slug:handle>/transfers", cash.TransfersView.as_view(), name="api-transfers"),
    path("v1/cash/notices/<slug:provider>", notices.ProviderNoticesView.as_view(), name="api-cash-notices"),
    path("v1/tables", sessions.TableListView.as_view(), name="api-table-list"),
    path("v1/sessions", sessions.SessionListView.as_view(), name="api-session-list"),
    path("v1/sessions/<int:session_id>", sessions.SessionDetailView.as_view(), name="api-session"),
    path("v1/sessions/<int:session_id>/bets", sessions.SessionBetsView.as_view(), name="api-session-bets"),
    path("v1/sessions/<int:session_id>/spin", sessions.SessionSpinView.as_view(), name="api-session-spin"),
    path(
        "v1/sessions/<int:session_id>/reality-check",
        sessions.SessionRealityCheckView.as_view(),
        name="api-session-reality-check",
    ),
    path("v1/players/<slug:handle>/limits", protection.LimitListView.as_view(), name="api-player-limits"),
    path(
        "v1/players/<slug:handle>/limits/<int:loosening_id>/confirm",
        protection.LimitConfirmView.as_view(),
        name="api-player-confirm-limit",
    ),
    path("v1/players/<slug:handle>/limits-offers", protection.OfferListView.as_view(), name="api-player-limits-offers"),
    path("v1/players/<slug:handle>/exclusions", protection.ExclusionListView.as_view(), name="api-player-exclusions"),
    path("v1/sessions/<int:session_id>/end", sessions.SessionEndView.as_view(), name="api-session-end"),
    path(
        "v1/sessions/<int:session_id>/statement", sessions.SessionStatementView.as_view(), name="api-session-statement"
    ),
]
