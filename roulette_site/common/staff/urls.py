"""The staff's own pages, beside the admin's, under ADMIN_URL."""

from django.urls import path

from . import requests, trail

app_name = "staff"

urlpatterns = [
    path("requests/", requests.requests, name="requests"),
    path("requests/<int:request_id>/", requests.one_request, name="request"),
    path("requests/<int:request_id>/decide/", requests.decide, name="decide"),
    path("trail/<slug:kind>/<str:subject_id>/", trail.trail, name="trail"),
]
