"""The addresses of the staff's pages, below ADMIN_URL."""

from django.urls import path

from . import cash, doubles, findings, papers, people, players, receivables, register, restricted, suspense

urlpatterns = [
    path("cash/", cash.cash_list, name="staff-cash"),
    path("cash/withdrawals.csv", cash.payout_file, name="staff-payout-file"),
    path("cash/<int:request_id>/", cash.cash_detail, name="staff-cash-request"),
    path("findings/", findings.finding_list, name="staff-findings"),
    path("findings/<int:finding_id>/", findings.finding_detail, name="staff-finding"),
    path("receivables/", receivables.receivable_list, name="staff-receivables"),
    path("receivables/<int:player_id>/", receivables.receivable_detail, name="staff-receivable"),
    path("suspense/", suspense.suspense_list, name="staff-suspense"),
    path("suspense/<int:transfer_id>/", suspense.suspense_detail, name="staff-suspended"),
    path("player/<int:player_id>/", players.player_page, name="staff-player"),
    path("register/", register.register, name="staff-register"),
    path("restricted/", restricted.restricted_list, name="staff-restricted"),
    path("restricted/<int:entry_id>/", restricted.restricted_entry, name="staff-restricted-entry"),
    path("doubles/", doubles.double_list, name="staff-doubles"),
    path("identity/", papers.paper_queue, name="staff-paper-queue"),
    path("identity/<int:player_id>/", papers.paper_page, name="staff-papers"),
    path("identity/<int:player_id>/<int:paper_id>/", papers.paper_file, name="staff-paper-file"),
    path("people/<int:user_id>/role/", people.ask_for_role, name="staff-ask-for-role"),
    path("people/<int:user_id>/<slug:act>/", people.act_on_person, name="staff-act-on-person"),
]
