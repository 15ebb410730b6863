"""The addresses of the staff's pages, below ADMIN_URL."""

from django.urls import path

from . import cash, findings, people, players

urlpatterns = [
    path("cash/", cash.cash_list, name="staff-cash"),
    path("cash/<int:request_id>/", cash.cash_detail, name="staff-cash-request"),
    path("findings/", findings.finding_list, name="staff-findings"),
    path("findings/<int:finding_id>/", findings.finding_detail, name="staff-finding"),
    path("player/<int:player_id>/", players.player_page, name="staff-player"),
    path("people/<int:user_id>/<slug:act>/", people.act_on_person, name="staff-act-on-person"),
]
